namespace CoAP.NET.Tests.Plugtest;

/// <summary>FETCH, PATCH and iPATCH (RFC 8132) of the JSON document of samples/Server.</summary>
public sealed class ServerDocumentTests : PlugtestServer
{
    [Fact]
    public void FETCH_gets_the_members_that_its_body_names() =>
        Exchange("40 05 0001 b8 'document' 11 32 ff '[\"on\",\"weight\",\"name\",\"on\"]'",
            "60 45 0001 c1 32 ff '{\"on\":false,\"name\":\"lamp\"}'");

    [Theory]
    [InlineData("'['", "80")]
    [InlineData("'7'", "96")]
    [InlineData("'[7]'", "96")]
    [InlineData("'[null]'", "96")]
    public void A_FETCH_request_whose_body_is_not_an_array_of_names_is_refused(string body, string code) =>
        Exchange($"40 05 0001 b8 'document' 11 32 ff {body}", $"60 {code} 0001 ..");

    [Fact]
    public void A_FETCH_request_in_a_format_other_than_JSON_is_refused() =>
        Exchange("40 05 0001 b8 'document' 11 3c ff 81 00", "60 8f 0001 ..");

    [Theory]
    [InlineData("06")]
    [InlineData("07")]
    public void A_patch_changes_all_that_it_names_or_nothing(string method)
    {
        Exchange($"40 {method} 0001 b8 'document' 11 34 ff '{{\"on\":true,\"level\":null}}'", "60 44 0001");
        Exchange($"40 {method} 0002 b8 'document' 11 34 ff '{{\"on\":false'", "60 80 0002 ..");
        Exchange($"40 {method} 0003 b8 'document' 11 34 ff '7'", "60 96 0003 ..");
        Exchange($"40 {method} 0004 b8 'document' 11 32 ff '{{}}'", "60 8f 0004 ..");
        Exchange("40 01 0005 b8 'document'", "60 45 0005 c1 32 ff '{\"name\":\"lamp\",\"on\":true}'");
    }
}
