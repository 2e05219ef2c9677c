using System.Runtime.CompilerServices;

namespace CoAP.NET.Execution;

/// <summary>
/// Continues on a pool thread, behind already queued work. <see cref="Task.Yield"/> would continue before that work on the same thread, so
/// on a busy machine new connections would always be served before the end of old ones.
/// </summary>
internal readonly struct YieldToPool : ICriticalNotifyCompletion
{
    public bool IsCompleted => false;

    public YieldToPool GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

#pragma warning disable RS0030 // the platform's asynchronous sockets continue there
    public void UnsafeOnCompleted(Action continuation) =>
        ThreadPool.UnsafeQueueUserWorkItem(static continuation => continuation(), continuation, preferLocal: false);
#pragma warning restore RS0030
}
