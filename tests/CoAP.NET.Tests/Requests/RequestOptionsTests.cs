namespace CoAP.NET.Tests.Requests;

/// <summary>Options of requests and results.</summary>
public sealed class RequestOptionsTests
{
    [Fact]
    public void The_largest_Content_Format_is_accepted()
    {
        CoapRequest request = new(CoapMethod.Fetch, "coap://192.0.2.1/x") { Accept = new(65_535) };
        request.Options.ContentFormat = new CoapContentFormat(65_535);
        Assert.Equal(65_535, request.Accept!.Value.Value);
        Assert.Equal(65_535, request.ContentFormat!.Value.Value);
    }

    [Fact]
    public void Options_that_results_share_are_read_only()
    {
        Assert.True(CoapResults.Text("x").Options.IsReadOnly);
        Assert.True(CoapResults.Deleted().Options.IsReadOnly);
        Assert.True(CoapResults.Text("x").WithMaxAge(FromSeconds(5)).Options.IsReadOnly);
    }
}
