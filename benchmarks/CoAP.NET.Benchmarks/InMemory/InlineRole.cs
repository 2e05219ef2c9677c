using CoAP.NET.Execution;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// Stands in for the role of a receive loop on the measuring thread, so that user code is entered and left as it is on one, and is taken to
/// have ended soon.
/// </summary>
internal sealed class InlineRole : IUserCodeTracker
{
    private int _depth;

    public void EnterUserCode() => _depth++;

    public bool ExitUserCode() => --_depth != 0;
}
