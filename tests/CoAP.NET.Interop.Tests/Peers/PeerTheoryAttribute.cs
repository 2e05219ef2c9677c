namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>As <see cref="PeerFactAttribute"/>, for tests with data.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class PeerTheoryAttribute : TheoryAttribute
{
    public PeerTheoryAttribute(params string[] programs) => Skip = PeerProgram.SkipReason(programs);
}
