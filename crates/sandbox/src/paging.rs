//! Which slice of a list a request asks for.

use crate::reply::{FieldError, Reply};
use crate::request::Request;

/// Pages larger than this are cut to it, as the platform does.
const LARGEST_PAGE: usize = 1000;

/// How a family names and counts its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageStyle {
    /// Query name of the page number.
    pub index: &'static str,
    /// Query name of the page size.
    pub size: &'static str,
    /// Size when none is given.
    pub default_size: usize,
    /// Number of the first page.
    pub first: usize,
}

impl PageStyle {
    /// `pageIndex` and `pageSize`, from 0.
    pub const fn ng(default_size: usize) -> Self {
        Self { index: "pageIndex", size: "pageSize", default_size, first: 0 }
    }

    /// `page` and `size`, from 0.
    pub const fn short(default_size: usize) -> Self {
        Self { index: "page", size: "size", default_size, first: 0 }
    }

    /// `page` and `limit`, from 0: the v1 API.
    pub const fn v1() -> Self {
        Self { index: "page", size: "limit", default_size: 30, first: 0 }
    }

    /// `page` and `limit`, from 1: the code service.
    pub const fn code() -> Self {
        Self { index: "page", size: "limit", default_size: 30, first: 1 }
    }

    /// The page a request asks for; a negative page or a size of 0 is a 400 naming the field.
    pub fn read(self, request: &Request) -> Result<Page, Reply> {
        let index = number(request, self.index, self.first, self.first)?;
        let size = number(request, self.size, self.default_size, 1)?;
        Ok(Page { index: index.saturating_sub(self.first), size: size.min(LARGEST_PAGE) })
    }
}

fn number(request: &Request, name: &str, absent: usize, least: usize) -> Result<usize, Reply> {
    let Some(text) = request.query.first(name) else { return Ok(absent) };
    match text.parse::<i64>() {
        Ok(value) => match usize::try_from(value) {
            Ok(value) if value >= least => Ok(value),
            _ => {
                let error = format!("must be greater than or equal to {least}");
                Err(Reply::field_failure(&[FieldError::new(name, &error)]))
            }
        },
        Err(_) => Err(Reply::field_failure(&[FieldError::new(name, "must be a number")])),
    }
}

/// One page: its number from 0 and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Number, from 0.
    pub index: usize,
    /// Size, at least 1.
    pub size: usize,
}

impl Page {
    /// The items of this page; none when it lies past the end.
    pub fn slice<T>(self, items: Vec<T>) -> Vec<T> {
        items.into_iter().skip(self.index.saturating_mul(self.size)).take(self.size).collect()
    }

    /// How many pages `total` items make.
    pub fn pages(self, total: usize) -> usize {
        total.div_ceil(self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::{Page, PageStyle};
    use crate::request::Request;

    #[test]
    fn defaults_apply_and_a_page_past_the_end_is_empty() {
        let page = PageStyle::ng(50).read(&Request::new("GET", "/x", b"")).unwrap();
        assert_eq!(page, Page { index: 0, size: 50 });
        assert_eq!(Page { index: 9, size: 2 }.slice(vec![1, 2, 3]), Vec::<i32>::new());
        assert_eq!(Page { index: 1, size: 2 }.slice(vec![1, 2, 3]), [3]);
    }

    #[test]
    fn a_negative_page_and_a_size_of_zero_name_their_field() {
        for (target, field) in
            [("/x?page=-1", "page"), ("/x?size=0", "size"), ("/x?page=a", "page")]
        {
            let refused = PageStyle::short(25).read(&Request::new("GET", target, b"")).unwrap_err();
            assert_eq!(refused.status, 400);
            assert_eq!(refused.json().unwrap()["errors"][0]["fieldId"], field);
        }
    }
}
