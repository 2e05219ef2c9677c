using CoAP.NET.Mesh;

namespace CoAP.NET.Shard;

/// <summary>
/// What has something to do that may not be done under the lock of a shard, as it may run code of users: completions, events, logs.
/// </summary>
internal interface IAfterRelease
{
    /// <summary>Does it. No lock is held; on the thread that held it, after what was decided before.</summary>
    /// <param name="shard">The shard.</param>
    void OnReleased(CoapShard shard);
}
