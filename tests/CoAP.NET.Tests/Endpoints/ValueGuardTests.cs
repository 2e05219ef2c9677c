using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>What options cannot be, and that an endpoint works with a copy.</summary>
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
    public void A_clone_of_the_limits_has_every_value()
    {
        CoapLimits limits = new();
        foreach (string path in LimitPaths.All)
        {
            (System.Reflection.PropertyInfo property, object group) = LimitPaths.Find(limits, path)!.Value;
            object value = property.GetValue(group)!;
            property.SetValue(group, value switch
            {
                int number => number + 1,
                long number => number + 1,
                double number => number / 2,
                bool flag => !flag,
                TimeSpan time => time + FromTicks(1),
                _ => throw new NotSupportedException(path),
            });
        }

        CoapLimits copy = limits.Clone();
        Assert.All(LimitPaths.All, path => Assert.Equal(LimitPaths.ValueOf(limits, path), LimitPaths.ValueOf(copy, path)));
    }

    [Fact]
    public void A_change_of_the_limits_does_not_reach_their_clone()
    {
        CoapLimits limits = new();
        CoapLimits copy = limits.Clone();
        limits.Peers.TrustedPrefixes.Clear();

        Assert.Equal(2, copy.Peers.TrustedPrefixes.Count);
        Assert.All(typeof(CoapLimits).GetProperties(System.Reflection.BindingFlags.Public | System.Reflection.BindingFlags.Instance),
            group => Assert.NotSame(group.GetValue(limits), group.GetValue(copy)));
    }
}
