using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Mesh;

/// <summary>Complete, Fault, Completion and their propagation.</summary>
public class InlineCompletionTests
{
    [Fact]
    public async Task Completion_propagates_only_over_links_with_PropagateCompletion()
    {
        RelayBlock<int> block = new();
        CollectTarget<int> with = new();
        CollectTarget<int> without = new();
        block.LinkTo(with, MeshRig.Propagate);
        block.LinkTo(without);
        block.Complete();
        await block.Completion.Soon();
        await with.Completion.Soon();
        Assert.False(without.Completion.IsCompleted);
    }

    [Fact]
    public async Task A_fault_propagates_through_a_chain_of_inline_and_standard_blocks()
    {
        BufferBlock<int> source = new();
        RelayBlock<int> first = new();
        TransformBlock<int, int> between = new(item => item);
        RelayBlock<int> last = new();
        source.LinkTo(first, MeshRig.Propagate);
        first.LinkTo(between, MeshRig.Propagate);
        between.LinkTo(last, MeshRig.Propagate);

        ((IDataflowBlock)source).Fault(new InvalidOperationException("root"));

        AggregateException exception = (await Record.ExceptionAsync(() => last.Completion.Soon())) as AggregateException
            ?? last.Completion.Exception!;
        Assert.Equal("root", Assert.IsType<InvalidOperationException>(exception.Flatten().InnerException).Message);
        Assert.True(first.Completion.IsFaulted);
        Assert.False(last.Post(1));
    }

    [Fact]
    public async Task A_fault_passes_own_blocks_unchanged()
    {
        RelayBlock<int> first = new();
        RelayBlock<int> second = new();
        first.LinkTo(second, MeshRig.Propagate);
        InvalidOperationException fault = new("root");
        first.Fault(fault);
        Assert.Same(fault, await Assert.ThrowsAsync<InvalidOperationException>(() => second.Completion.Soon()));
    }

    [Fact]
    public void A_fault_after_completion_and_a_completion_after_a_fault_change_nothing()
    {
        CollectTarget<int> completed = new();
        completed.Complete();
        completed.Fault(new InvalidOperationException("late"));
        Assert.True(completed.Completion.IsCompletedSuccessfully);

        CollectTarget<int> faulted = new();
        faulted.Fault(new InvalidOperationException("first"));
        faulted.Complete();
        Assert.True(faulted.Completion.IsFaulted);
    }

    [Fact]
    public void A_target_linked_after_the_end_is_completed_or_faulted_at_once()
    {
        RelayBlock<int> completed = new();
        completed.Complete();
        ScriptedTarget<int> target = new(_ => DataflowMessageStatus.Accepted);
        completed.LinkTo(target, MeshRig.Propagate).Dispose();
        Assert.True(target.IsCompleted);

        RelayBlock<int> faulted = new();
        InvalidOperationException fault = new("x");
        faulted.Fault(fault);
        ScriptedTarget<int> second = new(_ => DataflowMessageStatus.Accepted);
        faulted.LinkTo(second, MeshRig.Propagate);
        Assert.Same(fault, second.Fault);

        ScriptedTarget<int> third = new(_ => DataflowMessageStatus.Accepted);
        faulted.LinkTo(third);
        Assert.Null(third.Fault);
    }

    [Fact]
    public void An_unlinked_target_is_not_completed()
    {
        RelayBlock<int> block = new();
        ScriptedTarget<int> target = new(_ => DataflowMessageStatus.Accepted);
        block.LinkTo(target, MeshRig.Propagate).Dispose();
        block.Complete();
        Assert.False(target.IsCompleted);
    }

    [Fact]
    public void An_exception_of_a_target_on_completion_does_not_keep_other_targets_from_completing()
    {
        RelayBlock<int> block = new();
        block.LinkTo(new BadEnd(), MeshRig.Propagate);
        ScriptedTarget<int> target = new(_ => DataflowMessageStatus.Accepted);
        block.LinkTo(target, MeshRig.Propagate);
        block.Complete();
        Assert.True(target.IsCompleted);
        Assert.Equal(1, block.Counters[CoapCounter.StageErrors]);
    }

    [Fact]
    public async Task Completion_waits_for_the_running_stage_and_its_result_is_delivered()
    {
        using ManualResetEventSlim entered = new();
        using ManualResetEventSlim release = new();
        RelayBlock<int> block = new(item =>
        {
            entered.Set();
            Assert.True(release.Wait(MeshRig.HangGuard));
            return item;
        });
        CollectTarget<int> target = new();
        block.LinkTo(target, MeshRig.Propagate);
        Thread thread = new(() => block.Post(1)) { IsBackground = true };
        thread.Start();
        Assert.True(entered.Wait(MeshRig.HangGuard));

        block.Complete();
        Assert.False(block.Completion.IsCompleted);
        Assert.False(target.Completion.IsCompleted);
        Assert.False(block.Post(2));

        release.Set();
        await target.Completion.Soon();
        Assert.Equal([1], target.Items);
    }

    [Fact]
    public async Task A_block_can_complete_from_within_its_own_stage()
    {
        RelayBlock<int>? block = null;
        block = new RelayBlock<int>(item =>
        {
            block!.Complete();
            Assert.False(block.Completion.IsCompleted);
            return item;
        });
        CollectTarget<int> target = new();
        block.LinkTo(target, MeshRig.Propagate);
        Assert.True(block.Post(1));
        await target.Completion.Soon();
        Assert.Equal([1], target.Items);
    }

    [Fact]
    public async Task Abandon_completes_a_block_whose_stage_never_returns()
    {
        using ManualResetEventSlim entered = new();
        using ManualResetEventSlim release = new();
        RelayBlock<int> block = new(item =>
        {
            entered.Set();
            release.Wait(MeshRig.HangGuard);
            return item;
        });
        CollectTarget<int> target = new();
        block.LinkTo(target, MeshRig.Propagate);
        Thread thread = new(() => block.Post(1)) { IsBackground = true };
        thread.Start();
        Assert.True(entered.Wait(MeshRig.HangGuard));

        block.Complete();
        Assert.False(block.Completion.IsCompleted);
        block.Abandon();
        await target.Completion.Soon();

        release.Set();
        Assert.True(thread.Join(MeshRig.HangGuard));
        Assert.Equal([1], block.Declined);
        Assert.Empty(target.Items);
    }

    [Fact]
    public async Task Every_accepted_item_is_delivered_before_completion_under_concurrency()
    {
        for (int round = 0; round < 50; round++)
        {
            RelayBlock<int> block = new();
            CollectTarget<int> target = new();
            block.LinkTo(target, MeshRig.Propagate);
            int accepted = 0;
            int atCompletion = -1;
            Task noted = target.Completion.ContinueWith(_ => atCompletion = target.Items.Count, TaskScheduler.Default);
            using CountdownEvent started = new(3);

            MeshRig.OnThreads(4, index =>
            {
                if (index == 0)
                {
                    Assert.True(started.Wait(MeshRig.HangGuard));
                    block.Complete();
                    return;
                }

                int mine = 0;
                while (block.Post(mine))
                {
                    if (++mine == 100)
                    {
                        started.Signal();
                    }
                }

                Interlocked.Add(ref accepted, mine);
            });

            await noted.Soon();
            Assert.Equal(accepted, atCompletion);
            Assert.Empty(block.Declined);
        }
    }

    private sealed class BadEnd : ITargetBlock<int>
    {
        public Task Completion => Task.CompletedTask;

        public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, int messageValue, ISourceBlock<int>? source,
            bool consumeToAccept) => DataflowMessageStatus.Accepted;

        public void Complete() => throw new InvalidOperationException("user");

        public void Fault(Exception exception) => throw new InvalidOperationException("user");
    }
}
