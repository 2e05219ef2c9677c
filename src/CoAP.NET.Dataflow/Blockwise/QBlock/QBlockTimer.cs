using CoAP.NET.Execution;

namespace CoAP.NET.Blockwise;

/// <summary>A second timer of something that has one already.</summary>
/// <param name="fire">Called under the lock.</param>
internal sealed class QBlockTimer(Action<long> fire) : WheelTimer
{
    internal override void Fire(long now) => fire(now);
}
