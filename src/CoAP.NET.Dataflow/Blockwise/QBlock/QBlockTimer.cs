namespace CoAP.NET.Blockwise;

/// <summary>The second timer of a body that comes by Q-Block1: fires when missing blocks were waited for long enough.</summary>
/// <param name="uploads">Asks for them.</param>
/// <param name="body">The body.</param>
internal sealed class QBlockTimer(QBlockUploads uploads, QBlockBody body) : WheelTimer
{
    internal override void Fire(long now) => uploads.OnMissing(body, now);
}
