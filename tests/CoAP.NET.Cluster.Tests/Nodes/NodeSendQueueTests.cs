using CoAP.NET.Cluster.Nodes;

namespace CoAP.NET.Cluster.Tests.Nodes;

public sealed class NodeSendQueueTests
{
    private readonly VirtualClock _clock = new();
    private readonly List<byte[][]> _sent = [];
    private readonly List<TaskCompletionSource> _answers = [];
    private int _dropped;

    [Fact]
    public async Task Items_that_are_queued_during_a_call_are_sent_with_the_next_call()
    {
        NodeSendQueue posts = Make();
        Assert.True(posts.TryPost("/a", [1]));
        await SentAsync(1);
        Assert.True(posts.TryPost("/a", [2]));
        Assert.True(posts.TryPost("/a", [3]));
        _answers[0].SetResult();
        await SentAsync(2);

        Assert.Equal([[1]], _sent[0]);
        Assert.Equal([[2], [3]], _sent[1]);
        Assert.Equal(0, _dropped);
    }

    [Fact]
    public async Task A_full_queue_drops_the_oldest_item_of_the_path_with_the_most_items()
    {
        NodeSendQueue posts = Make();
        posts.TryPost("/a", [0]);
        posts.TryPost("/b", [0]);
        await SentAsync(2);
        posts.TryPost("/b", [7]);
        byte[] large = new byte[NodeSendQueue.MaxWaiting / 4];
        for (byte i = 1; i <= 5; i++)
        {
            large[0] = i;
            posts.TryPost("/a", large);
        }

        Assert.Equal(2, _dropped);
        _answers.ForEach(answer => answer.SetResult());
        await SentAsync(4);
        Assert.Contains(_sent, items => items is [[7]]);
        Assert.Contains(_sent, items => items is [[3, ..]]);
    }

    [Fact]
    public async Task A_path_whose_node_does_not_answer_within_a_second_is_stalled()
    {
        NodeSendQueue posts = Make();
        Assert.False(posts.IsStalled("/a"));
        posts.TryPost("/a", [1]);
        await SentAsync(1);
        Assert.False(posts.IsStalled("/a"));
        _clock.Advance(FromSeconds(1));
        Assert.True(posts.IsStalled("/a"));
        Assert.False(posts.IsStalled("/b"));

        _answers[0].SetException(new TimeoutException());
        await Eventually.IsTrueAsync(() => !posts.IsStalled("/a"));
        Assert.Equal(1, _dropped);
        posts.End();
        Assert.False(posts.TryPost("/a", [1]));
    }

    private NodeSendQueue Make() => new(
        (_, items) =>
        {
            TaskCompletionSource answer = new(RunContinuationsAsynchronously);
            lock (_sent)
            {
                _sent.Add(items);
                _answers.Add(answer);
            }

            return answer.Task;
        },
        count => Interlocked.Add(ref _dropped, count),
        _clock);

    private Task SentAsync(int count) => Eventually.IsTrueAsync(() =>
    {
        lock (_sent)
        {
            return _sent.Count == count;
        }
    });
}
