using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Composition.Stages;

/// <summary>
/// Several stages of the library as one block, for blocks of the application around them. Its end is not the end of these stages: the ends
/// of connections and other events still pass them.
/// </summary>
/// <typeparam name="TInput">The items that enter.</typeparam>
/// <typeparam name="TOutput">The items that leave.</typeparam>
/// <param name="entry">The first stage.</param>
/// <param name="exit">The last stage.</param>
internal sealed class BuiltInStagesBlock<TInput, TOutput>(InlineTarget<TInput> entry, ISourceBlock<TOutput> exit)
    : IPropagatorBlock<TInput, TOutput>
{
    private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isEnding;

    /// <inheritdoc/>
    public Task Completion => _end.Task;

    /// <summary>Whether a block of the application takes what leaves.</summary>
    public bool IsLinked { get; private set; }

    /// <summary>Empties blocks of the application between the stages, before the end. Set when the endpoint stops.</summary>
    public Func<Task>? Ending { get; set; }

    /// <summary>Ends the block, once: nothing more enters.</summary>
    /// <returns>Completes when everything has left.</returns>
    public async Task EndAsync()
    {
        if (!Interlocked.Exchange(ref _isEnding, true))
        {
            await (Ending?.Invoke() ?? Task.CompletedTask).ConfigureAwait(false);
            _end.TrySetResult();
        }

        await _end.Task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <inheritdoc/>
    public DataflowMessageStatus OfferMessage(
        DataflowMessageHeader messageHeader, TInput messageValue, ISourceBlock<TInput>? source, bool consumeToAccept) =>
        entry.OfferMessage(messageHeader, messageValue, source, consumeToAccept);

    /// <inheritdoc/>
    public IDisposable LinkTo(ITargetBlock<TOutput> target, DataflowLinkOptions linkOptions)
    {
        ArgumentNullException.ThrowIfNull(linkOptions);
        IsLinked = true;
        if (linkOptions.PropagateCompletion)
        {
            _ = PassOnEndAsync(target);
        }

        return exit.LinkTo(
            new UserCodeTarget<TOutput>(target),
            new DataflowLinkOptions { Append = linkOptions.Append, MaxMessages = linkOptions.MaxMessages });
    }

    /// <inheritdoc/>
    public void Complete() => _ = EndAsync();

    /// <inheritdoc/>
    public void Fault(Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        Volatile.Write(ref _isEnding, true);
        _end.TrySetException(exception);
    }

    private async Task PassOnEndAsync(ITargetBlock<TOutput> target)
    {
        try
        {
            await Completion.ConfigureAwait(false);
            target.Complete();
        }
#pragma warning disable CA1031 // as in any Dataflow block, a fault is passed on
        catch (Exception exception)
#pragma warning restore CA1031
        {
            target.Fault(exception);
        }
    }

    TOutput? ISourceBlock<TOutput>.ConsumeMessage(
        DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target, out bool messageConsumed) =>
        exit.ConsumeMessage(messageHeader, target, out messageConsumed);

    bool ISourceBlock<TOutput>.ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target) =>
        exit.ReserveMessage(messageHeader, target);

    void ISourceBlock<TOutput>.ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<TOutput> target) =>
        exit.ReleaseReservation(messageHeader, target);
}
