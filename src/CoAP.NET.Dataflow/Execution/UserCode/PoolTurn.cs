using System.Runtime.CompilerServices;

namespace CoAP.NET;

/// <summary>
/// Goes on with a thread of the pool, behind whatever waits there. Other ways to yield put what follows before that, on the thread at hand: on a busy machine new connections
/// would be served for ever before the end of old ones.
/// </summary>
internal readonly struct PoolTurn : ICriticalNotifyCompletion
{
    /// <summary>Never: it always gives way.</summary>
    public bool IsCompleted => false;

    public PoolTurn GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

#pragma warning disable RS0030 // the platform's sockets go on there, too
    public void UnsafeOnCompleted(Action continuation) => ThreadPool.UnsafeQueueUserWorkItem(static continuation => continuation(), continuation, preferLocal: false);
#pragma warning restore RS0030
}
