namespace CoAP.NET.Hosting.Tests.Clients;

/// <summary>Copies of requests to another URI.</summary>
public sealed class RequestCopyTests
{
    [Fact]
    public void A_copy_of_a_request_has_all_properties_and_is_independent()
    {
        using MemoryStream destination = new();
        Progress<CoapProgress> progress = new();
        CoapQuotaSource source = CoapSourceGroupingRule.Default.Of(
            CoapAddress.FromIPEndPoint(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 5683)));
        CoapRequest request = new(CoapMethod.Post, "/x")
        {
            Content = CoapContent.Text("hello"), Accept = CoapContentFormat.Cbor, Confirmable = false, Timeout = FromSeconds(3),
            TooManyRequests = CoapTooManyRequestsBehavior.Wait, BlockSize = 64,
            Progress = progress, Destination = destination, CacheMode = CoapCacheMode.OnlyIfCached,
            LocalAddress = System.Net.IPAddress.Loopback, NoResponse = CoAP.NET.NoResponseClasses.All,
            IsForwarded = true, OnBehalfOf = source, IgnoredDefaults = CoapClientDefaultKinds.Proxy,
        };
        CoapRequest copy = request.WithUri("coap://h/x");

        Assert.Equal((CoapMethod.Post, "coap://h/x", "hello", CoapContentFormat.TextPlain),
            (copy.Method, copy.Uri?.ToString(), copy.GetText(), copy.ContentFormat));
        Assert.Equal((CoapContentFormat.Cbor, false, FromSeconds(3)), (copy.Accept, copy.Confirmable, copy.Timeout));
        Assert.Equal((CoapTooManyRequestsBehavior.Wait, 64, CoapCacheMode.OnlyIfCached),
            (copy.TooManyRequests, copy.BlockSize, copy.CacheMode));
        Assert.Same(progress, copy.Progress);
        Assert.Same(destination, copy.Destination);
        Assert.Same(request.Content, copy.Content);
        Assert.Equal(System.Net.IPAddress.Loopback, copy.LocalAddress);
        Assert.Equal(request.NoResponse, copy.NoResponse);
        Assert.True(copy.IsForwarded);
        Assert.Equal(source, copy.OnBehalfOf);
        Assert.Equal(CoapClientDefaultKinds.Proxy, copy.IgnoredDefaults);

        copy.Timeout = null;
        copy.BlockSize = 128;
        copy.Accept = null;
        Assert.Equal((FromSeconds(3), 64, CoapContentFormat.Cbor), (request.Timeout, request.BlockSize, request.Accept));
    }

    [Fact]
    public void The_copy_test_covers_every_property_of_a_request()
    {
        // Settable ones of requests to send; a new one belongs into WithUri and into the test above.
        string[] known =
        [
            "Accept", "BlockSize", "CacheMode", "Confirmable", "Content", "Destination", "Download", "IgnoredDefaults", "IsForwarded",
            "LocalAddress", "NoResponse", "OnBehalfOf", "Progress", "Timeout", "TooManyRequests",
        ];
        Assert.Equal(known,
            typeof(CoapRequest).GetProperties().Where(property => property.SetMethod is { IsPublic: true })
                .Select(property => property.Name).Order(StringComparer.Ordinal));
    }
}
