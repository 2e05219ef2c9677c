namespace CoAP.NET.Tests.Endpoints;

/// <summary>What options cannot be, and that an endpoint works with a copy.</summary>
public sealed class LimitRangeTests
{
    [Fact]
    public void What_is_out_of_its_range_is_refused()
    {
        CoapLimits limits = new();
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.NewcomerPeriod = TimeSpan.FromTicks(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.NewcomerPeriod = TimeSpan.FromHours(2));
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.MaxVerifiedPeersPerSource = -1);
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.MaxUnverifiedObserversPerSource = -1);
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.MaxRequestsPerConnection = 0);
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
    public void The_longest_times_can_be_computed()
    {
        CoapTransmissionParameters longest = CoapTransmissionParameters.Default with
        {
            AckTimeout = TimeSpan.FromHours(1),
            AckRandomFactor = 10,
            MaxRetransmit = 20,
            MaxLatency = TimeSpan.FromDays(1),
        };
        Assert.All([longest.ExchangeLifetime, longest.MaxTransmitWait, longest.MaxRtt, longest.NonLifetime],
            time => Assert.True(time > TimeSpan.FromDays(1)));
    }

    [Fact]
    public void The_copy_of_limits_has_all_of_them()
    {
        CoapLimits limits = new();
        foreach (System.Reflection.PropertyInfo property in typeof(CoapLimits).GetProperties())
        {
            object value = property.GetValue(limits)!;
            property.SetValue(limits, value switch
            {
                int number => number + 1,
                long number => number + 1,
                double number => number / 2,
                bool flag => !flag,
                TimeSpan time => time + TimeSpan.FromTicks(1),
                _ => throw new NotSupportedException(property.Name),
            });
        }

        CoapLimits copy = limits.Clone();
        Assert.NotSame(limits, copy);
        Assert.All(typeof(CoapLimits).GetProperties(), property => Assert.Equal(property.GetValue(limits), property.GetValue(copy)));
    }
}
