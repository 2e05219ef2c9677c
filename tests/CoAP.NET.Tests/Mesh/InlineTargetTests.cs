using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Mesh;

/// <summary>The inline block as a target of Dataflow's own blocks.</summary>
public class InlineTargetTests
{
    [Fact]
    public async Task A_preceding_buffer_block_drains_in_order_and_propagates_completion()
    {
        BufferBlock<int> buffer = new();
        CollectTarget<int> target = new();
        buffer.LinkTo(target, MeshRig.Propagate);
        for (int i = 0; i < 100; i++)
        {
            buffer.Post(i);
        }

        buffer.Complete();
        await target.Completion.Soon();
        Assert.Equal(Enumerable.Range(0, 100), target.Items);
    }

    [Fact]
    public async Task A_preceding_bounded_transform_block_never_blocks_even_when_the_results_are_declined()
    {
        TransformBlock<int, int> transform = new(item => item, new ExecutionDataflowBlockOptions { BoundedCapacity = 1 });
        RelayBlock<int> block = new(item => item == 3 ? throw new InvalidOperationException("stage") : item);
        transform.LinkTo(block, MeshRig.Propagate);
        for (int i = 0; i < 10; i++)
        {
            Assert.True(await transform.SendAsync(i).Soon());
        }

        transform.Complete();
        await block.Completion.Soon();
        Assert.Equal([0, 1, 2, 4, 5, 6, 7, 8, 9], block.Declined);
        Assert.Equal([3], block.FailedOn);
    }

    [Fact]
    public async Task An_item_of_a_cloning_broadcast_block_is_consumed()
    {
        int clones = 0;
        BroadcastBlock<string> broadcast = new(item =>
        {
            Interlocked.Increment(ref clones);
            return item + "'";
        });
        CollectTarget<string> target = new();
        broadcast.LinkTo(target, MeshRig.Propagate);
        broadcast.Post("a");
        broadcast.Complete();
        await target.Completion.Soon();
        Assert.Equal(["a'"], target.Items);
        Assert.Equal(1, clones);
    }

    [Fact]
    public async Task An_item_of_a_cloning_write_once_block_is_consumed()
    {
        WriteOnceBlock<string> once = new(item => item + "'");
        CollectTarget<string> target = new();
        once.LinkTo(target, MeshRig.Propagate);
        once.Post("a");
        await target.Completion.Soon();
        Assert.Equal(["a'"], target.Items);
    }

    [Fact]
    public async Task Preceding_join_and_batch_blocks_deliver_their_items()
    {
        JoinBlock<int, int> join = new(new GroupingDataflowBlockOptions { Greedy = false });
        CollectTarget<Tuple<int, int>> pairs = new();
        join.LinkTo(pairs, MeshRig.Propagate);
        BufferBlock<int> left = new();
        BufferBlock<int> right = new();
        left.LinkTo(join.Target1);
        right.LinkTo(join.Target2);
        BatchBlock<Tuple<int, int>> batch = new(1);
        CollectTarget<Tuple<int, int>[]> batches = new();
        batch.LinkTo(batches, MeshRig.Propagate);

        TaskCompletionSource arrived = new(RunContinuationsAsynchronously);
        CollectTarget<Tuple<int, int>> first = new(_ => arrived.TrySetResult());
        join.LinkTo(first, new DataflowLinkOptions { Append = false, MaxMessages = 1 });
        left.Post(1);
        right.Post(2);
        await arrived.Task.Soon();

        // The thread that brought it has it collected after that.
        await Eventually.IsTrueAsync(() => first.Count > 0);
        Assert.Equal([Tuple.Create(1, 2)], first.Items);

        batch.Post(Tuple.Create(3, 4));
        batch.Complete();
        await batches.Completion.Soon();
        Assert.Equal([Tuple.Create(3, 4)], batches.Items.Single());
    }

    [Fact]
    public async Task Post_and_SendAsync_run_the_stage_before_they_return()
    {
        CollectTarget<int> target = new();
        Assert.True(target.Post(1));
        Task<bool> sent = target.SendAsync(2);
        Assert.True(sent.IsCompletedSuccessfully);
        Assert.True(await sent);
        Assert.Equal([1, 2], target.Items);

        target.Complete();
        Assert.False(target.Post(3));
        Assert.False(await target.SendAsync(4).Soon());
        Assert.Equal([1, 2], target.Items);
    }

    [Fact]
    public async Task AsObserver_posts_items_and_completes_the_block()
    {
        CollectTarget<int> target = new();
        IObserver<int> observer = target.AsObserver();
        observer.OnNext(1);
        observer.OnCompleted();
        await target.Completion.Soon();
        Assert.Equal([1], target.Items);
    }

    [Fact]
    public void An_offer_without_a_source_is_taken()
    {
        CollectTarget<int> target = new();
        Assert.Equal(DataflowMessageStatus.Accepted, target.OfferMessage(MeshRig.Header, 1, null, false));
        Assert.Equal([1], target.Items);
    }

    [Fact]
    public void OfferMessage_throws_for_an_invalid_header_or_a_missing_source()
    {
        CollectTarget<int> target = new();
        Assert.Throws<ArgumentException>("messageHeader", () => target.OfferMessage(default, 1, null, false));
        Assert.Throws<ArgumentException>("consumeToAccept", () => target.OfferMessage(MeshRig.Header, 1, null, true));
        Assert.Throws<ArgumentNullException>("exception", () => target.Fault(null!));
        Assert.Empty(target.Items);
    }

    [Fact]
    public void An_item_that_the_source_no_longer_has_is_not_available()
    {
        CollectTarget<int> target = new();
        ISourceBlock<int> source = new RelayBlock<int>();
        Assert.Equal(DataflowMessageStatus.NotAvailable, target.OfferMessage(MeshRig.Header, 1, source, true));
        Assert.Empty(target.Items);
    }

    [Fact]
    public void A_source_that_throws_while_consuming_is_counted()
    {
        CollectTarget<int> target = new();
        Assert.Equal(DataflowMessageStatus.NotAvailable, target.OfferMessage(MeshRig.Header, 1, new ThrowingSource(), true));
        Assert.Equal(1, target.Counters[CoapCounter.StageErrors]);
    }

    [Fact]
    public void A_completed_block_declines_permanently_and_consumes_nothing()
    {
        CollectTarget<int> target = new();
        target.Complete();
        Assert.Equal(DataflowMessageStatus.DecliningPermanently, target.OfferMessage(MeshRig.Header, 1, null, false));
        Assert.Equal(DataflowMessageStatus.DecliningPermanently, target.OfferMessage(MeshRig.Header, 1, new ThrowingSource(), true));
        Assert.Equal(0, target.Counters[CoapCounter.StageErrors]);
        Assert.Empty(target.Items);
    }

    [Theory]
    [InlineData(typeof(InvalidOperationException))]
    [InlineData(typeof(OperationCanceledException))]
    public void An_exception_of_a_stage_is_counted_and_the_next_item_is_processed(Type type)
    {
        ListLogger logger = new();
        RelayBlock<int> block = new(item => item == 1 ? throw (Exception)Activator.CreateInstance(type)! : item, logger: logger);
        CollectTarget<int> next = new();
        block.LinkTo(next);

        Assert.True(block.Post(1));
        Assert.True(block.Post(2));

        Assert.Equal([2], next.Items);
        Assert.Equal([1], block.FailedOn);
        Assert.Equal(1, block.Counters[CoapCounter.StageErrors]);
        Assert.Equal(Microsoft.Extensions.Logging.LogLevel.Error, Assert.Single(logger.Entries).Level);
    }

    private sealed class ThrowingSource : ISourceBlock<int>
    {
        public Task Completion => Task.CompletedTask;

        public int ConsumeMessage(DataflowMessageHeader messageHeader, ITargetBlock<int> target, out bool messageConsumed) =>
            throw new InvalidOperationException("source");

        public IDisposable LinkTo(ITargetBlock<int> target, DataflowLinkOptions linkOptions) => throw new NotSupportedException();

        public bool ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<int> target) => false;

        public void ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<int> target)
        {
        }

        public void Complete()
        {
        }

        public void Fault(Exception exception)
        {
        }
    }
}
