using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Mesh;

/// <summary>The inline block as a source of Dataflow's own blocks.</summary>
public class InlineSourceTests
{
    [Fact]
    public void Offers_name_the_block_as_source_with_unique_ids_and_without_consumeToAccept()
    {
        RelayBlock<int> block = new();
        ScriptedTarget<int> declining = new(_ => DataflowMessageStatus.Declined);
        ScriptedTarget<int> accepting = new(_ => DataflowMessageStatus.Accepted);
        block.LinkTo(declining);
        block.LinkTo(accepting);

        block.Post(7);
        block.Post(8);

        Assert.Equal([7, 8], accepting.Offers.Select(offer => offer.Item));
        var all = declining.Offers.Concat(accepting.Offers).ToList();
        Assert.All(all, offer => Assert.Same(block, offer.Source));
        Assert.All(all, offer => Assert.False(offer.ConsumeToAccept));
        Assert.All(all, offer => Assert.NotEqual(0, offer.Id));
        Assert.Equal(all.Count, all.Select(offer => offer.Id).Distinct().Count());
    }

    [Fact]
    public void Message_ids_are_unique_across_threads()
    {
        RelayBlock<int> block = new();
        ScriptedTarget<int> target = new(_ => DataflowMessageStatus.Accepted);
        block.LinkTo(target);

        MeshRig.OnThreads(4, _ =>
        {
            for (int i = 0; i < 2_000; i++)
            {
                block.Post(i);
            }
        });

        Assert.Equal(8_000, target.Offers.Select(offer => offer.Id).Distinct().Count());
    }

    [Fact]
    public async Task Buffer_block_gets_everything_in_order()
    {
        RelayBlock<int> block = new(item => item * 2);
        BufferBlock<int> buffer = new();
        block.LinkTo(buffer, MeshRig.Propagate);

        for (int i = 0; i < 100; i++)
        {
            Assert.True(block.Post(i));
        }

        block.Complete();
        Assert.True(buffer.TryReceiveAll(out IList<int>? items));
        Assert.Equal(Enumerable.Range(0, 100).Select(i => i * 2), items);
        await buffer.Completion.Soon();
    }

    [Fact]
    public void A_full_action_block_postpones_and_the_item_is_counted_as_declined()
    {
        using ManualResetEventSlim release = new();
        RelayBlock<int> block = new();
        ActionBlock<int> bounded = new(_ => release.Wait(MeshRig.HangGuard), new ExecutionDataflowBlockOptions { BoundedCapacity = 2 });
        block.LinkTo(bounded);

        for (int i = 0; i < 5; i++)
        {
            Assert.True(block.Post(i));
        }

        Assert.Equal([2, 3, 4], block.Declined);
        Assert.Equal(3, block.Counters[CoapCounter.Declined]);
        release.Set();
    }

    [Fact]
    public async Task A_full_transform_block_takes_items_again_after_its_postponed_items_are_gone()
    {
        RelayBlock<int> block = new();
        TransformBlock<int, int> bounded = new(item => item, new ExecutionDataflowBlockOptions { BoundedCapacity = 1 });
        block.LinkTo(bounded);
        block.Post(1);
        block.Post(2);
        Assert.Equal([2], block.Declined);

        Assert.Equal(1, await bounded.ReceiveAsync().Soon());

        // Its capacity is given back by a task of its own, which first comes back for the postponed message, in vain.
        int next = 3;
        for (int looks = 0; bounded.OutputCount == 0; looks++)
        {
            block.Post(next++);
            await Eventually.PauseAsync(looks);
        }

        Assert.InRange(await bounded.ReceiveAsync().Soon(), 3, next);
        Assert.Equal(block.Declined.Count, block.Counters[CoapCounter.Declined]);
    }

    [Fact]
    public void Filtered_links_dispatch_items_and_the_last_link_gets_the_rest()
    {
        RelayBlock<int> block = new();
        ISourceBlock<int> source = block;
        BufferBlock<int> even = new();
        BufferBlock<int> three = new();
        CollectTarget<int> rest = new();
        source.LinkTo(even, item => item % 2 == 0);
        block.LinkTo(three, item => item % 3 == 0);
        block.LinkTo(rest);

        for (int i = 0; i < 10; i++)
        {
            block.Post(i);
        }

        Assert.True(even.TryReceiveAll(out IList<int>? evens));
        Assert.Equal([0, 2, 4, 6, 8], evens);
        Assert.True(three.TryReceiveAll(out IList<int>? threes));
        Assert.Equal([3, 9], threes);
        Assert.Equal([1, 5, 7], rest.Items);
        Assert.Empty(block.Declined);
    }

    [Fact]
    public void An_item_that_no_link_takes_is_counted_and_disposed()
    {
        PlainRelay<Disposable> block = new();
        block.LinkTo(DataflowBlock.NullTarget<Disposable>(), item => item.Name == "wanted");
        Disposable wanted = new("wanted");
        Disposable other = new("other");

        block.Post(wanted);
        block.Post(other);

        Assert.Equal(0, wanted.Disposals);
        Assert.Equal(1, other.Disposals);
    }

    [Fact]
    public void A_null_target_accepts_every_item()
    {
        RelayBlock<int> block = new();
        block.LinkTo(DataflowBlock.NullTarget<int>());
        block.Post(1);
        Assert.Empty(block.Declined);
    }

    [Fact]
    public void A_non_greedy_join_postpones_every_item_and_they_are_counted_as_declined()
    {
        RelayBlock<int> left = new();
        RelayBlock<int> right = new();
        JoinBlock<int, int> join = new(new GroupingDataflowBlockOptions { Greedy = false });
        left.LinkTo(join.Target1);
        right.LinkTo(join.Target2);

        left.Post(1);
        right.Post(2);

        Assert.Equal([1], left.Declined);
        Assert.Equal([2], right.Declined);
        Assert.False(join.TryReceive(out _));
    }

    [Fact]
    public async Task A_greedy_join_block_joins_items_of_two_inline_blocks()
    {
        RelayBlock<int> left = new();
        RelayBlock<int> right = new();
        JoinBlock<int, int> join = new();
        left.LinkTo(join.Target1);
        right.LinkTo(join.Target2);

        left.Post(1);
        right.Post(2);

        Assert.Equal(Tuple.Create(1, 2), await join.ReceiveAsync().Soon());
    }

    [Fact]
    public void A_non_greedy_batch_postpones_every_item_and_they_are_counted_as_declined()
    {
        RelayBlock<int> block = new();
        BatchBlock<int> batch = new(2, new GroupingDataflowBlockOptions { Greedy = false });
        block.LinkTo(batch);

        block.Post(1);
        block.Post(2);

        Assert.Equal(2, block.Counters[CoapCounter.Declined]);
        Assert.False(batch.TryReceive(out _));
    }

    [Fact]
    public async Task A_greedy_batch_emits_its_remaining_items_when_completion_propagates()
    {
        RelayBlock<int> block = new();
        BatchBlock<int> batch = new(3);
        block.LinkTo(batch, MeshRig.Propagate);
        for (int i = 0; i < 4; i++)
        {
            block.Post(i);
        }

        block.Complete();
        Assert.Equal(new int[] { 0, 1, 2 }, await batch.ReceiveAsync().Soon());
        Assert.Equal(new int[] { 3 }, await batch.ReceiveAsync().Soon());
        await batch.Completion.Soon();
    }

    [Fact]
    public async Task Broadcast_and_write_once_blocks_linked_to_an_inline_block_work_as_usual()
    {
        RelayBlock<int> block = new();
        BroadcastBlock<int> broadcast = new(item => item + 100);
        WriteOnceBlock<int> once = new(null);
        BufferBlock<int> copy = new();
        block.LinkTo(once);
        block.LinkTo(broadcast);
        broadcast.LinkTo(copy);

        block.Post(1);
        block.Post(2);

        Assert.Equal(1, await once.ReceiveAsync().Soon());
        Assert.Equal(102, await copy.ReceiveAsync().Soon());
    }

    [Fact]
    public async Task ReceiveAsync_takes_the_next_item_and_unlinks()
    {
        RelayBlock<int> block = new();
        Task<int> first = block.ReceiveAsync();
        block.Post(1);
        Assert.Equal(1, await first.Soon());

        block.Post(2);
        Assert.Equal([2], block.Declined);
    }

    [Fact]
    public async Task ReceiveAsync_fails_when_the_block_completes()
    {
        RelayBlock<int> block = new();
        Task<int> first = block.ReceiveAsync();
        block.Complete();
        await Assert.ThrowsAsync<InvalidOperationException>(() => first.Soon());
    }

    [Fact]
    public async Task OutputAvailableAsync_completes_without_taking_the_item()
    {
        ListLogger logger = new();
        RelayBlock<int> block = new(logger: logger);
        Task<bool> available = block.OutputAvailableAsync();
        BufferBlock<int> buffer = new();
        block.LinkTo(buffer);
        block.Post(5);
        Assert.True(await available.Soon());
        Assert.Equal(5, await buffer.ReceiveAsync().Soon());
        Assert.Empty(logger.Entries);

        Task<bool> last = block.OutputAvailableAsync();
        block.Complete();
        Assert.False(await last.Soon());
    }

    [Fact]
    public async Task AsObservable_observes_items_and_completion()
    {
        RelayBlock<int> block = new();
        ListObserver<int> observer = new();
        using IDisposable subscription = block.AsObservable().Subscribe(observer);
        block.Post(1);
        block.Complete();
        await observer.Completed.Task.Soon();
        Assert.Equal([1], observer.Items);
    }

    [Fact]
    public async Task AsObservable_sees_a_fault()
    {
        RelayBlock<int> block = new();
        ListObserver<int> observer = new();
        using IDisposable subscription = block.AsObservable().Subscribe(observer);
        ((IDataflowBlock)block).Fault(new InvalidOperationException("broken"));
        Exception exception = await Assert.ThrowsAnyAsync<Exception>(() => observer.Completed.Task.Soon());
        exception.ToString().Mentions("broken");
    }

    [Fact]
    public async Task Encapsulated_inline_blocks_work_between_standard_blocks()
    {
        RelayBlock<int> first = new(item => item + 1);
        RelayBlock<int> second = new(item => item * 10);
        first.LinkTo(second, MeshRig.Propagate);
        IPropagatorBlock<int, int> both = DataflowBlock.Encapsulate(first, second);
        BufferBlock<int> source = new();
        BufferBlock<int> target = new();
        source.LinkTo(both, MeshRig.Propagate);
        both.LinkTo(target, MeshRig.Propagate);

        source.Post(1);
        source.Post(2);
        source.Complete();

        Assert.Equal(20, await target.ReceiveAsync().Soon());
        Assert.Equal(30, await target.ReceiveAsync().Soon());
        await target.Completion.Soon();
    }

    [Fact]
    public void A_message_cannot_be_consumed_or_reserved_after_the_offer()
    {
        ISourceBlock<int> block = new RelayBlock<int>();
        ITargetBlock<int> target = new BufferBlock<int>();
        Assert.Equal(0, block.ConsumeMessage(MeshRig.Header, target, out bool consumed));
        Assert.False(consumed);
        Assert.False(block.ReserveMessage(MeshRig.Header, target));
        Assert.Throws<InvalidOperationException>(() => block.ReleaseReservation(MeshRig.Header, target));
    }

    [Fact]
    public void An_exception_of_a_target_does_not_reach_the_caller_of_Post_and_its_item_counts_as_lost()
    {
        ListLogger logger = new();
        RelayBlock<int> block = new(logger: logger);
        CollectTarget<int> next = new();
        block.LinkTo(new ScriptedTarget<int>(_ => throw new InvalidOperationException("user")));
        block.LinkTo(next);

        Assert.True(block.Post(1));

        Assert.Equal([1], block.Lost);
        Assert.Empty(block.Declined);
        Assert.Empty(next.Items);
        Assert.Equal(1, block.Counters[CoapCounter.StageErrors]);
        Assert.Single(logger.Entries);
    }

    [Fact]
    public void A_throwing_filter_declines_so_the_next_link_gets_the_item()
    {
        RelayBlock<int> block = new();
        CollectTarget<int> next = new();
        block.LinkTo(new BufferBlock<int>(), _ => throw new InvalidOperationException("user"));
        block.LinkTo(next);

        Assert.True(block.Post(1));

        Assert.Equal([1], next.Items);
        Assert.Equal(1, block.Counters[CoapCounter.StageErrors]);
    }

    [Fact]
    public void An_exception_of_the_logger_does_not_reach_the_caller_of_Post()
    {
        RelayBlock<int> block = new(_ => throw new InvalidOperationException("stage"), logger: new ListLogger { Throws = true });
        Assert.True(block.Post(1));
        Assert.Equal(1, block.Counters[CoapCounter.StageErrors]);
        Assert.Equal([1], block.FailedOn);
    }

    [Fact]
    public void Emit_offers_an_item_and_is_refused_after_completion()
    {
        RelayBlock<int> block = new();
        CollectTarget<int> target = new();
        block.LinkTo(target);

        Assert.True(block.Emit(1));
        block.Complete();
        Assert.False(block.Emit(2));

        Assert.Equal([1], target.Items);
        Assert.Equal([2], block.Declined);
    }
}
