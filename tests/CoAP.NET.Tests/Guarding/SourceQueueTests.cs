using System.Net;

namespace CoAP.NET.Tests.Guarding;

/// <summary>Items that wait, in the order of each key, with a bound for all.</summary>
public sealed class SourceQueueTests
{
    private readonly SourceQueue<char, Waiting> _queue = new(max: 10, maxOfKey: 3);

    [Fact]
    public void Items_are_returned_in_the_order_in_which_they_were_added_for_their_key()
    {
        Add('a', 1, cost: 1, "1");
        Add('b', 1, cost: 1, "2");
        Add('a', 2, cost: 1, "3");
        Assert.Equal(['a', 'b'], _queue.Keys.Order());
        Assert.Equal(["1"], Take('a', item => item.Name == "1"));
        Assert.Equal(["3"], Take('a'));
        Assert.Equal(["2"], Take('b'));
        Assert.Empty(Take('b'));
        Assert.Equal(0, _queue.Count);
    }

    [Fact]
    public void A_further_item_of_a_full_key_evicts_the_oldest_item_of_that_key()
    {
        Assert.Equal(["", "", "", "1"], new[] { "1", "2", "3", "4" }.Select(name => Add('a', 1, cost: 1, name)));
        Assert.Equal(["2", "3", "4"], Take('a'));
    }

    [Fact]
    public void The_source_with_the_highest_cost_including_the_new_item_loses_its_oldest_item()
    {
        Add('a', source: 1, cost: 2, "1");
        Add('b', source: 1, cost: 2, "2");
        Add('a', source: 2, cost: 3, "3");
        Add('b', source: 2, cost: 2, "4");
        Assert.Equal("1", Add('c', source: 1, cost: 3, "5"));
        Assert.Equal(["3"], Take('a'));
        Assert.Equal(["2", "4"], Take('b'));
        Assert.Equal("6", Add('c', source: 3, cost: 11, "6"));
        Assert.Equal(["5"], Take('c'));
    }

    [Fact]
    public void Items_older_than_a_given_time_are_removed_from_the_front_of_the_queue()
    {
        Add('a', 1, cost: 1, "1");
        Add('b', 1, cost: 1, "2");
        Add('a', 1, cost: 1, "3");
        Assert.Equal(["1", "2"], _queue.TakeWhile(item => item.Name != "3").Select(item => item.Name));
        Assert.Equal(["3"], Take('a'));
    }

    private string Add(char key, int source, long cost, string name) =>
        string.Join(" ", _queue.Add(new Waiting(key, source, cost, name)).Select(item => item.Name));

    private IEnumerable<string> Take(char key, Func<Waiting, bool>? isDue = null) => _queue.Take(key, isDue).Select(item => item.Name);

    private sealed class Waiting(char key, int source, long cost, string name)
        : SourceQueue<char, Waiting>.Item(
            key, CoapSourceGroupingRule.Default.Of(CoapAddress.Of(IPAddress.Parse($"192.0.2.{source}"), 1)), cost)
    {
        public string Name => name;
    }
}
