namespace CoAP.NET.Tests.Messaging;

/// <summary>RFC 7252 section 4.8.</summary>
public sealed class TransmissionParametersTests
{
    [Theory]
    [InlineData(2, 1.5, 4, 45, 93, 202, 247, 145)]
    [InlineData(1, 1.5, 4, 22.5, 46.5, 201, 223.5, 122.5)]
    [InlineData(2, 1.0, 2, 6, 14, 202, 208, 106)]
    [InlineData(5, 1.5, 4, 112.5, 232.5, 205, 317.5, 212.5)]
    [InlineData(2, 1.5, 0, 0, 3, 202, 202, 100)]
    [Rfc("7252-4.8-1")]
    public void Times_are_derived(double ackTimeout, double factor, int maxRetransmit, double span, double wait, double rtt,
        double exchange, double non)
    {
        CoapTransmissionParameters parameters = new()
        {
            AckTimeout = TimeSpan.FromSeconds(ackTimeout),
            AckRandomFactor = factor,
            MaxRetransmit = maxRetransmit
        };
        Assert.Equal(
            [span, wait, rtt, exchange, non],
            [
                parameters.MaxTransmitSpan.TotalSeconds, parameters.MaxTransmitWait.TotalSeconds, parameters.MaxRtt.TotalSeconds,
                parameters.ExchangeLifetime.TotalSeconds, parameters.NonLifetime.TotalSeconds,
            ]);
    }

    [Theory]
    [InlineData(0.9)]
    [InlineData(double.NaN)]
    [Rfc("7252-4.8-1")]
    public void A_random_factor_below_one_is_refused(double factor) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapTransmissionParameters { AckRandomFactor = factor });
}
