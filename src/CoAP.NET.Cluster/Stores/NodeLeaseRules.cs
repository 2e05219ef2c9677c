using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Stores;

/// <summary>Rules for leases that all engines share.</summary>
internal static class NodeLeaseRules
{
    /// <summary>The shortest lease: 100 ms.</summary>
    public static TimeSpan Shortest { get; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest lease: 1 hour.</summary>
    public static TimeSpan Longest { get; } = TimeSpan.FromHours(1);

    /// <summary>Validates the arguments of <see cref="ICoapClusterStore.JoinAsync"/>; engines call it first.</summary>
    /// <exception cref="ArgumentException">The node has no id.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The lease is too short or too long.</exception>
    public static void Check(CoapClusterNode self, TimeSpan lease)
    {
        ArgumentNullException.ThrowIfNull(self);
        if (!self.Id.IsSet)
        {
            throw new ArgumentException("The node has no id. Create one with CoapNodeId.New.", nameof(self));
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(lease, Shortest);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(lease, Longest);
    }

    /// <summary>Verifies that only one node joins with a store; engines call it.</summary>
    /// <param name="joined">The node that joined before; not set if none did.</param>
    /// <param name="self">The node that joins.</param>
    /// <exception cref="InvalidOperationException">They differ.</exception>
    public static void CheckSame(CoapNodeId joined, CoapNodeId self)
    {
        if (joined.IsSet && joined != self)
        {
            throw new InvalidOperationException($"This store has joined as node {joined}. Use a separate store for another node.");
        }
    }
}
