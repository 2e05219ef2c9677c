namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>Guards against what never ends, for all tests by name.</summary>
internal static class HangGuards
{
    public static Task<T> Within<T>(Task<T> task) => task.WaitAsync(PeerProcess.HangLimit);
}
