using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>What options cannot be, and that they stay as they are once an endpoint uses them.</summary>
public sealed class ValueGuardTests
{
    [Fact]
    public void Limits_and_transmission_parameters_out_of_range_are_refused()
    {
        CoapLimits limits = new();
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.Peers.NewcomerPeriod = FromTicks(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.Peers.NewcomerPeriod = FromHours(2));
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.Peers.MaxVerifiedPerSource = -1);
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.Observe.MaxUnverifiedObserversPerSource = -1);
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.Connections.MaxRequests = 0);
        CoapTransmissionParameters parameters = CoapTransmissionParameters.Default;
        foreach (double rate in new[] { 0, -1, double.NaN, double.NegativeInfinity })
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => parameters with { ProbingRate = rate });
        }

        Assert.Equal(double.PositiveInfinity, (parameters with { ProbingRate = double.PositiveInfinity }).ProbingRate);
        Assert.Throws<ArgumentOutOfRangeException>(() => parameters with { MaxLatency = TimeSpan.MaxValue });
        Assert.Throws<ArgumentOutOfRangeException>(() => parameters with { PiggybackWindow = TimeSpan.MaxValue });
    }

    [Fact]
    public void The_longest_transmission_parameters_do_not_overflow()
    {
        CoapTransmissionParameters longest = CoapTransmissionParameters.Default with
        {
            AckTimeout = FromHours(1),
            AckRandomFactor = 10,
            MaxRetransmit = 20,
            MaxLatency = FromDays(1),
        };
        Assert.All([longest.ExchangeLifetime, longest.MaxTransmitWait, longest.MaxRtt, longest.NonLifetime],
            time => Assert.True(time > FromDays(1)));
    }

    [Fact]
    public async Task Limits_of_an_endpoint_refuse_each_change()
    {
        CoapEndpointOptions options = new();
        await using CoapEndpoint endpoint = new(options);
        Assert.All(LimitPaths.All, path =>
        {
            (System.Reflection.PropertyInfo property, object group) = LimitPaths.Find(options.Limits, path)!.Value;
            System.Reflection.TargetInvocationException refused = Assert.Throws<System.Reflection.TargetInvocationException>(
                () => property.SetValue(group, property.GetValue(group)));
            Assert.IsType<InvalidOperationException>(refused.InnerException).Mentions(
                $"{group.GetType().Name}.{property.Name} cannot be changed any more: an endpoint, client or server uses these options.");
        }, throwIfEmpty: true);
        Assert.Throws<InvalidOperationException>(options.Limits.Peers.TrustedPrefixes.Clear);
        Assert.Throws<InvalidOperationException>(() => options.Limits = CoapLimits.Small);

        // Another endpoint may use them, too.
        await using CoapEndpoint other = new(options);
    }
}
