using System.Runtime.CompilerServices;

namespace CoAP.NET.Tests.Shard;

/// <summary>
/// Has shards count how often their lock is taken (<see cref="CoapShard.LocksTaken"/>). Before any shard is made, as the switch is read
/// once.
/// </summary>
internal static class CountedLocks
{
#pragma warning disable CA2255 // nobody but the test runner loads this assembly
    [ModuleInitializer]
#pragma warning restore CA2255
    internal static void Count() => AppContext.SetSwitch("CoAP.NET.CountLocks", true);
}
