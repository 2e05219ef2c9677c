namespace CoAP.NET.Cluster.Tests.Notices;

/// <summary>What two nodes know of each other's changes when one of them has forgotten the other.</summary>
public sealed class NoticePeerTests
{
    private const string Name = "server\n/devices/7";
    private readonly ChangeMemory _memory = new(16);

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    public void A_node_that_was_forgotten_says_again_what_it_observes_also_to_one_at_which_nothing_has_changed_yet(int changes)
    {
        for (int i = 0; i < changes; i++)
        {
            _memory.Add((ulong)i);
        }

        HearingPeer hearing = new();
        Exchange(new TellingPeer(), hearing);
        Assert.False(hearing.HasWork);

        // The other node was not in the map for a while, so what was known of it is gone.
        TellingPeer forgetful = new();
        Exchange(forgetful, hearing);

        Assert.True(forgetful.Add(Name, NoticeNames.HashOf(Name)));
    }

    [Fact]
    public void A_node_that_was_not_forgotten_need_not_say_again_what_it_observes_when_there_is_a_new_link()
    {
        HearingPeer hearing = new();
        TellingPeer telling = new();
        Exchange(telling, hearing);

        telling.Greet();
        _ = telling.Take(out long from);
        hearing.Hear(from, _memory.Number);

        Assert.False(hearing.HasWork);
    }

    // As ClusterNotices does it: the node that tells greets, and the other one asks for what it observes.
    private void Exchange(TellingPeer telling, HearingPeer hearing)
    {
        _ = telling.Take(out long from);
        hearing.Hear(from, _memory.Number);
        telling.Told(_memory.Number);
        if (hearing.HasWork)
        {
            (string Name, long Since)[] taken = hearing.Take([Name], out bool isFromTheBeginning);
            if (isFromTheBeginning)
            {
                telling.Forget();
            }

            foreach ((string name, long since) in taken)
            {
                telling.Observe(NoticeNames.HashOf(name), since != NoticeMessages.NotObserved);
            }
        }
    }
}
