using CoAP.NET.Cluster.Nodes;

namespace CoAP.NET.Cluster.Tests.Nodes;

public sealed class NodeSendQueueTests
{
    private readonly VirtualClock _clock = new();
    private readonly List<byte[][]> _sent = [];
    private readonly List<TaskCompletionSource> _answers = [];
    private readonly NodeSendQueue _queue;
    private int _dropped;

    public NodeSendQueueTests() => _queue = new NodeSendQueue(count => Interlocked.Add(ref _dropped, count), _clock);

    [Fact]
    public async Task Items_that_are_queued_during_a_call_are_sent_with_the_next_call()
    {
        NodePostLine<byte[]> posts = AddLine();
        Assert.True(posts.TryPost([1]));
        await SentAsync(1);
        Assert.True(posts.TryPost([2]));
        Assert.True(posts.TryPost([3]));
        _answers[0].SetResult();
        await SentAsync(2);

        Assert.Equal([[1]], _sent[0]);
        Assert.Equal([[2], [3]], _sent[1]);
        Assert.Equal(0, _dropped);
    }

    [Fact]
    public async Task A_full_queue_drops_the_oldest_item_of_the_line_with_the_most_bytes()
    {
        NodePostLine<byte[]> one = AddLine();
        NodePostLine<byte[]> other = AddLine();
        one.TryPost([0]);
        other.TryPost([0]);
        await SentAsync(2);
        other.TryPost([7]);
        byte[] large = new byte[NodeSendQueue.MaxWaiting / 4];
        for (byte i = 1; i <= 5; i++)
        {
            large[0] = i;
            one.TryPost([.. large]);
        }

        Assert.Equal(2, _dropped);
        _answers.ForEach(answer => answer.SetResult());
        await SentAsync(4);
        Assert.Contains(_sent, items => items is [[7]]);
        Assert.Contains(_sent, items => items is [[3, ..]]);
    }

    [Fact]
    public async Task A_line_whose_node_does_not_answer_within_a_second_is_stalled()
    {
        NodePostLine<byte[]> posts = AddLine();
        NodePostLine<byte[]> other = AddLine();
        Assert.False(posts.IsStalled);
        posts.TryPost([1]);
        await SentAsync(1);
        Assert.False(posts.IsStalled);
        _clock.Advance(FromSeconds(1));
        Assert.True(posts.IsStalled);
        Assert.False(other.IsStalled);

        _answers[0].SetException(new TimeoutException());
        await Eventually.IsTrueAsync(() => !posts.IsStalled);
        Assert.Equal(1, _dropped);
        _queue.End();
        Assert.False(posts.TryPost([1]));
    }

    private NodePostLine<byte[]> AddLine() => _queue.AddLine<byte[]>(
        items =>
        {
            TaskCompletionSource answer = new(RunContinuationsAsynchronously);
            lock (_sent)
            {
                _sent.Add([.. items]);
                _answers.Add(answer);
            }

            return answer.Task;
        },
        static item => item.Length);

    private Task SentAsync(int count) => Eventually.IsTrueAsync(() =>
    {
        lock (_sent)
        {
            return _sent.Count == count;
        }
    });
}
