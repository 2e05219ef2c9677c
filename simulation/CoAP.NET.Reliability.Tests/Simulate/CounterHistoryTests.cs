using CoAP.NET.Simulation.Simulate.Clusters;

namespace CoAP.NET.Reliability.Tests.Simulate;

/// <summary>Histories of counters that are linearizable, and some that are not.</summary>
public sealed class CounterHistoryTests
{
    private readonly CounterHistory _history = new();

    [Fact]
    public void Each_order_of_requests_at_the_same_time_is_allowed()
    {
        Add(1);
        Add(2);
        Operation(isAddition: true, 0, 10, 2);
        Operation(isAddition: true, 0, 10, 1);
        Operation(isAddition: false, 0, 10, 0);
        Operation(isAddition: false, 11, 12, 2);

        Assert.Empty(_history.FindFaults());
    }

    [Fact]
    public void An_addition_without_an_answer_may_have_taken_effect()
    {
        _history.Begin("a", "x", isAddition: true, TimeSpan.Zero);
        Add(1);
        Operation(isAddition: false, 2, 3, 1);

        Assert.Empty(_history.FindFaults());
    }

    [Fact]
    public void A_read_of_an_older_value_than_an_earlier_answer_is_a_fault()
    {
        Add(1);
        Operation(isAddition: true, 0, 2, 1);
        Operation(isAddition: false, 3, 4, 0);

        Assert.Contains("a got 0 for a read", Assert.Single(_history.FindFaults()), StringComparison.Ordinal);
    }

    [Fact]
    public void Two_additions_with_one_value_are_a_fault()
    {
        Add(1);
        Operation(isAddition: true, 0, 10, 1);
        Operation(isAddition: true, 0, 10, 1);

        Assert.Single(_history.FindFaults());
    }

    [Fact]
    public void A_value_that_no_addition_has_made_yet_is_a_fault()
    {
        Add(5);
        Operation(isAddition: false, 1, 2, 1);

        Assert.Contains("before there were as many additions", Assert.Single(_history.FindFaults()), StringComparison.Ordinal);
    }

    private void Add(int second) => _history.Add("x", TimeSpan.FromSeconds(second));

    private void Operation(bool isAddition, int began, int ended, int value) =>
        _history.Begin("a", "x", isAddition, TimeSpan.FromSeconds(began)).End(value, TimeSpan.FromSeconds(ended));
}
