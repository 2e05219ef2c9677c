namespace CoAP.NET.Blockwise;

/// <summary>
/// Blocks of an answer that go out after another one without being asked for. The timer is the pause between them. Guarded by Shard.Gate.
/// </summary>
internal abstract class FollowingBlocks : WheelTimer
{
    /// <summary>Whether no more of them is sent.</summary>
    public bool IsOver { get; set; }
}
