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
    public void Derived_times_follow_RFC_7252(double ackTimeout, double factor, int maxRetransmit, double span, double wait, double rtt,
        double exchange, double non)
    {
        CoapTransmissionParameters parameters = new()
        {
            AckTimeout = FromSeconds(ackTimeout),
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

    [Fact]
    public void Transmission_parameters_accept_the_ends_of_their_ranges_and_refuse_values_beyond()
    {
        TimeSpan tick = FromTicks(1);
        Func<CoapTransmissionParameters>[] taken =
        [
            () => new() { AckTimeout = tick }, () => new() { AckTimeout = FromHours(1) },
            () => new() { AckRandomFactor = 1 },
            () => new() { MaxRetransmit = 0 }, () => new() { MaxRetransmit = 20 },
            () => new() { NStart = 1 }, () => new() { NStart = 65_535 },
            () => new() { MaxQueuedRequests = 0 }, () => new() { MaxQueuedRequests = 1_000_000 },
            () => new() { ProbingRate = double.Epsilon }, () => new() { ProbingRate = double.PositiveInfinity },
            () => new() { DefaultLeisure = TimeSpan.Zero }, () => new() { DefaultLeisure = FromMinutes(10) },
            () => new() { MaxLatency = tick }, () => new() { MaxLatency = FromDays(1) },
            () => new() { PiggybackWindow = TimeSpan.Zero }, () => new() { PiggybackWindow = FromHours(1) },
            () => new() { PreferredBlockSize = 16 }, () => new() { PreferredBlockSize = 1024 },
            () => new() { MaxMessageSize = 64 }, () => new() { MaxMessageSize = 65_507 },
            () => new() { ExtendedTokenLength = 9 }, () => new() { ExtendedTokenLength = 65_804 },
            () => new() { ResponseTimeout = TimeSpan.Zero }, () => new() { ResponseTimeout = Timeout.InfiniteTimeSpan },
        ];
        Func<CoapTransmissionParameters>[] refused =
        [
            () => new() { AckTimeout = TimeSpan.Zero }, () => new() { AckTimeout = FromHours(1) + tick },
            () => new() { AckRandomFactor = Math.BitDecrement(1.0) },
            () => new() { MaxRetransmit = -1 }, () => new() { MaxRetransmit = 21 },
            () => new() { NStart = 0 }, () => new() { NStart = 65_536 },
            () => new() { MaxQueuedRequests = -1 }, () => new() { MaxQueuedRequests = 1_000_001 },
            () => new() { ProbingRate = 0 }, () => new() { ProbingRate = double.NaN },
            () => new() { DefaultLeisure = -tick }, () => new() { DefaultLeisure = FromMinutes(10) + tick },
            () => new() { MaxLatency = TimeSpan.Zero }, () => new() { MaxLatency = FromDays(1) + tick },
            () => new() { PiggybackWindow = -tick }, () => new() { PiggybackWindow = FromHours(1) + tick },
            () => new() { PreferredBlockSize = 8 }, () => new() { PreferredBlockSize = 2048 }, () => new() { PreferredBlockSize = 100 },
            () => new() { MaxMessageSize = 63 }, () => new() { MaxMessageSize = 65_508 },
            () => new() { ExtendedTokenLength = 8 }, () => new() { ExtendedTokenLength = 65_805 },
            () => new() { ResponseTimeout = -2 * tick },
        ];

        Assert.All(taken, static make => Assert.NotNull(make()));
        Assert.All(refused, static make => Assert.Throws<ArgumentOutOfRangeException>(make));
    }
}
