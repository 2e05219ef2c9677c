using CoAP.NET.Proxy.Upstreams;

namespace CoAP.NET.Proxy.Tests;

/// <summary>What a client gets when its request failed at the server behind the proxy.</summary>
public sealed class CoapErrorResponseTests
{
    [Theory]
    [InlineData(CoapError.RetryLater, 6.5, "4.29", 7)]
    [InlineData(CoapError.Released, 6.5, "5.03", 7)]
    [InlineData(CoapError.Busy, null, "5.03", 5)]
    [InlineData(CoapError.Lost, null, "5.02", null)]
    [Rfc("8323-5.5-2")]
    public void The_error_response_to_a_failed_forwarding_has_Max_Age_only_if_the_request_may_be_repeated_later(
        CoapError error, double? wait, string code, int? maxAge)
    {
        TimeSpan? retryAfter = wait is { } seconds ? FromSeconds(seconds) : null;
        CoapException failure = error is CoapError.RetryLater or CoapError.Busy
            ? new CoapException(error, "It is busy.") { RetryAfter = retryAfter }
            : new CoapConnectionException(error, "It is away.") { RetryAfter = retryAfter };

        CoapResult result = CoapErrorResponse.Of(failure);

        Assert.Equal(CoapCode.Parse(code), result.Code);
        Assert.Equal(maxAge, result.OwnOptions.MaxAge?.TotalSeconds);
    }
}
