namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// A test that talks to a program of others. Skipped where the program is absent; with <c>COAP_INTEROP=required</c> it fails there, when it
/// starts the program.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class PeerFactAttribute : FactAttribute
{
    public PeerFactAttribute(params string[] programs) => Skip = PeerProgram.SkipReason(programs);
}
