namespace CoAP.NET.Http.Tests;

/// <summary>Each row of the tables of codes (RFC 8075 section 7, RFC 7252 section 10.1).</summary>
public sealed class CodeTableTests
{
    private readonly CoapHttpCodes _codes = new();

    [Theory]
    [Rfc("8075-7-1", "7252-10.2.4-1", "7252-10.2.5-1")]
    [InlineData("2.01", 201, 201)]
    [InlineData("2.02", 204, 200)]
    [InlineData("2.03", 502, 502)]
    [InlineData("2.04", 204, 200)]
    [InlineData("2.05", 200, 200)]
    [InlineData("2.31", 502, 502)]
    [InlineData("2.09", 200, 200)]
    [InlineData("4.00", 400, 400)]
    [InlineData("4.01", 403, 403)]
    [InlineData("4.02", 500, 500)]
    [InlineData("4.03", 403, 403)]
    [InlineData("4.04", 404, 404)]
    [InlineData("4.05", 400, 400)]
    [InlineData("4.06", 406, 406)]
    [InlineData("4.08", 502, 502)]
    [InlineData("4.09", 409, 409)]
    [InlineData("4.12", 412, 412)]
    [InlineData("4.13", 413, 413)]
    [InlineData("4.15", 415, 415)]
    [InlineData("4.22", 422, 422)]
    [InlineData("4.29", 429, 429)]
    [InlineData("4.31", 400, 400)]
    [InlineData("5.00", 500, 500)]
    [InlineData("5.01", 501, 501)]
    [InlineData("5.02", 502, 502)]
    [InlineData("5.03", 503, 503)]
    [InlineData("5.04", 504, 504)]
    [InlineData("5.05", 502, 502)]
    [InlineData("5.08", 508, 508)]
    [InlineData("5.31", 500, 500)]
    [InlineData("6.00", 502, 502)]
    public void A_CoAP_code_is_mapped_to_an_HTTP_status(string code, int withoutPayload, int withPayload)
    {
        Assert.Equal(withoutPayload, (int)_codes.StatusOf(CoapCode.Parse(code), hasPayload: false));
        Assert.Equal(withPayload, (int)_codes.StatusOf(CoapCode.Parse(code), hasPayload: true));
    }

    [Fact]
    [Rfc("8075-7-1")]
    public void A_2_03_for_a_conditional_request_is_304_and_a_4_02_caused_by_the_HTTP_client_is_400()
    {
        Assert.Equal(HttpStatusCode.NotModified, _codes.StatusOf(CoapCode.Valid, hasPayload: false, isConditional: true));
        Assert.Equal(HttpStatusCode.BadRequest, _codes.StatusOf(CoapCode.BadOption, hasPayload: true, hasClientOptions: true));
    }

    [Theory]
    [Rfc("7252-10.1.1-1", "7252-10.1.2-1", "7252-10.1.3-1", "7252-10.1.4-1", "7252-10.1-2")]
    [InlineData("2.05", "2.04", "2.04", "2.02", 200, 202, 203, 204, 205, 207, 226)]
    [InlineData("2.05", "2.01", "2.01", "2.02", 201)]
    [InlineData("5.02", "5.02", "5.02", "5.02", 206, 100, 300, 301, 302, 303, 305, 307, 308, 502, 505)]
    [InlineData("2.03", "5.02", "5.02", "2.02", 304)]
    [InlineData("4.00", "4.00", "4.00", "4.00", 400, 402, 407, 411, 414, 416, 417, 418, 419, 420, 423, 424, 451)]
    [InlineData("4.01", "4.01", "4.01", "4.01", 401)]
    [InlineData("4.03", "4.03", "4.03", "4.03", 403)]
    [InlineData("4.04", "4.04", "4.04", "2.02", 404, 410)]
    [InlineData("4.05", "4.05", "4.05", "4.05", 405)]
    [InlineData("4.06", "4.06", "4.06", "4.06", 406)]
    [InlineData("5.04", "5.04", "5.04", "5.04", 408, 504)]
    [InlineData("4.09", "4.09", "4.09", "4.09", 409)]
    [InlineData("4.12", "4.12", "4.12", "4.12", 412)]
    [InlineData("4.13", "4.13", "4.13", "4.13", 413)]
    [InlineData("4.15", "4.15", "4.15", "4.15", 415)]
    [InlineData("4.22", "4.22", "4.22", "4.22", 422)]
    [InlineData("4.29", "4.29", "4.29", "4.29", 429)]
    [InlineData("5.00", "5.00", "5.00", "5.00", 500, 507, 511)]
    [InlineData("5.01", "5.01", "5.01", "5.01", 501)]
    [InlineData("5.03", "5.03", "5.03", "5.03", 503)]
    [InlineData("5.08", "5.08", "5.08", "5.08", 508)]
    public void An_HTTP_status_is_mapped_to_a_CoAP_code(string get, string put, string post, string delete, params int[] statuses) =>
        Assert.All(statuses, status => Assert.Equal(
            [get, put, post, delete, put],
            new[] { CoapMethod.Get, CoapMethod.Put, CoapMethod.Post, CoapMethod.Delete, CoapMethod.IPatch }
                .Select(method => _codes.CodeOf((HttpStatusCode)status, method).ToString()[..4])));

    [Fact]
    public void The_code_table_can_be_changed()
    {
        _codes.Statuses[CoapCode.Unauthorized] = HttpStatusCode.Unauthorized;
        _codes.Codes[HttpStatusCode.PaymentRequired] = CoapCode.Forbidden;

        Assert.Equal(HttpStatusCode.Unauthorized, _codes.StatusOf(CoapCode.Unauthorized, hasPayload: false));
        Assert.Equal(CoapCode.Forbidden, _codes.CodeOf(HttpStatusCode.PaymentRequired, CoapMethod.Get));
    }
}
