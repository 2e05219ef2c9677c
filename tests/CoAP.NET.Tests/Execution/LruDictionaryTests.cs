using CoAP.NET.Execution;

namespace CoAP.NET.Tests.Execution;

/// <summary>A dictionary of limited size.</summary>
public sealed class LruDictionaryTests
{
    private readonly LruDictionary<string, int> _entries = new(2);

    [Fact]
    public void The_entry_that_was_not_set_or_used_for_longest_is_evicted()
    {
        _entries.Set("a", 1);
        _entries.Set("b", 2);
        Assert.True(_entries.TryGetValue("a", out _));
        Assert.True(_entries.Set("c", 3, out KeyValuePair<string, int> evicted));
        Assert.Equal(new("a", 1), evicted);
        Assert.True(_entries.TryUse("b", out int b));
        Assert.Equal(2, b);
        _entries.Set("d", 4);
        Assert.False(_entries.TryGetValue("c", out _));
        Assert.Equal(["b", "d"], _entries.Entries.Select(entry => entry.Key));
    }

    [Fact]
    public void A_replaced_entry_evicts_no_other()
    {
        _entries.Set("a", 1);
        _entries.Set("b", 2);
        Assert.False(_entries.Set("a", 3, out _));
        Assert.Equal(2, _entries.Count);
        Assert.Equal(new KeyValuePair<string, int>("b", 2), _entries.Oldest);
        Assert.True(_entries.Remove("a", out int a));
        Assert.Equal(3, a);
        Assert.False(_entries.Remove("a", out _));
        Assert.True(_entries.Remove("b", out _));
        Assert.Null(_entries.Oldest);
    }
}
