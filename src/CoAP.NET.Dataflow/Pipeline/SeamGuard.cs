namespace CoAP.NET.Pipeline;

/// <summary>Stands before a block that a user put in, and marks its work as user code: if it blocks, the receive role is taken from the thread.</summary>
internal sealed class SeamGuard<T> : InlineBlock<T, T>
{
    public SeamGuard(CoapEnvironment environment)
        : base(environment.Counters, environment.Logger)
    {
    }

    private protected override void Process(T item)
    {
        UserCode.Enter();
        try
        {
            Offer(item);
        }
        finally
        {
            UserCode.Exit();
        }
    }
}
