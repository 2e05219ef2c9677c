using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>Bodies of HTTP clients that cannot be read: each mistake has its status, and the CoAP server gets nothing.</summary>
public sealed class MalformedBodyTests : ProxyTest
{
    [Theory]
    [InlineData("Transfer-Encoding: chunked", "FFFFFFFFFFFFFFFF\n", 400)]
    [InlineData("Transfer-Encoding: chunked", "10000000000000000\n", 400)]
    [InlineData("Transfer-Encoding: chunked", "-1\n", 400)]
    [InlineData("Transfer-Encoding: chunked", "zz\nx\n0\n\n", 400)]
    [InlineData("Transfer-Encoding: chunked", "1\nxyz\n0\n\n", 400)]
    [InlineData("Content-Length: 101", "ab", 413)]
    [InlineData("Content-Length: 99999999999999999999", "ab", 400)]
    [InlineData("Content-Length: -1", "ab", 400)]
    public async Task A_request_with_a_malformed_or_too_large_body_is_answered_400_or_413(string header, string body, int status)
    {
        await StartProxyAsync(services: services => services.Configure<KestrelServerOptions>(
            kestrel => kestrel.Limits.MaxRequestBodySize = 100));

        string response = await SayAsync(
            $"POST /hc/{Origin}/seen HTTP/1.1\nHost: x\nContent-Type: application/json\nConnection: close\n{header}\n\n{body}");

        response.Begins($"HTTP/1.1 {status} ");
        Assert.Empty(Seen);
    }

    [Fact]
    public async Task A_malformed_body_that_the_proxy_would_convert_is_answered_400()
    {
        await StartProxyAsync(proxy => proxy.Translator.ConvertsJson = true);

        string response = await SayAsync(
            $"POST /hc/{Origin}/seen HTTP/1.1\nHost: x\nContent-Type: application/json\nConnection: close\n"
                + "Transfer-Encoding: chunked\n\nFFFFFFFFFFFFFFFF\n");

        response.Begins("HTTP/1.1 400 ");
        Assert.Empty(Seen);
    }
}
