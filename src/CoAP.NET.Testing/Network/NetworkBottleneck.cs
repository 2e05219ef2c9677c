namespace CoAP.NET.Testing;

/// <summary>
/// A slow stretch with a bounded queue before it, as a radio link or a modem. All links whose <see cref="NetworkConditions.Bottleneck"/> is
/// the same object share it; give both directions one each where the stretch carries both at a time. Datagrams leave it first in, first
/// out; what finds the queue full is lost. It has no state of its own: that is kept by the network, so that one object may be used on
/// several.
/// </summary>
public sealed class NetworkBottleneck
{
    /// <summary>Makes a bottleneck.</summary>
    /// <param name="bytesPerSecond">How much it carries, with <see cref="Overhead"/> for each datagram.</param>
    /// <param name="queueLength">How many datagrams may wait for the one that is being sent; 0 for none.</param>
    /// <exception cref="ArgumentOutOfRangeException">The rate is not positive, or the length is negative.</exception>
    public NetworkBottleneck(double bytesPerSecond, int queueLength)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytesPerSecond);
        ArgumentOutOfRangeException.ThrowIfNegative(queueLength);
        BytesPerSecond = bytesPerSecond;
        QueueLength = queueLength;
    }

    /// <summary>How much it carries, in bytes a second, with <see cref="Overhead"/> for each datagram.</summary>
    public double BytesPerSecond { get; }

    /// <summary>How many datagrams may wait for the one that is being sent.</summary>
    public int QueueLength { get; }

    /// <summary>What a datagram takes beyond its payload, in bytes. Default 28, the headers of IPv4 and UDP.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
    public int Overhead { get; init =>
        field = value >= 0 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, "The overhead must not be negative."); } =
    28;

    /// <summary>How long it takes to send a datagram.</summary>
    /// <param name="bytes">The payload of the datagram.</param>
    /// <returns>The time.</returns>
    public TimeSpan TimeFor(int bytes) => TimeSpan.FromSeconds((bytes + Overhead) / BytesPerSecond);
}
