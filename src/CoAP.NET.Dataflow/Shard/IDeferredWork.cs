namespace CoAP.NET.Shard;

/// <summary>Work that is not allowed under the lock of a shard because it may run application code: completions, events, logs.</summary>
internal interface IDeferredWork
{
    /// <summary>Does the work. No lock is held; on the thread that held it, after earlier effects.</summary>
    void OnReleased(CoapShard shard);
}
