namespace CoAP.NET.Testing;

/// <summary>A slow section with a bounded queue in front, such as a radio link or a modem.</summary>
/// <remarks>
/// All links with the same object in <see cref="NetworkConditions.Bottleneck"/> share it. For a full-duplex section, give each direction
/// its own. Datagrams leave first in, first out; a datagram that finds the queue full is lost. The object has no state, because the network
/// keeps it, so several networks can use one object.
/// </remarks>
public sealed class NetworkBottleneck
{
    /// <summary>Creates a bottleneck.</summary>
    /// <param name="bytesPerSecond">The capacity in bytes per second, with <see cref="Overhead"/> for each datagram.</param>
    /// <param name="queueLength">The maximum number of datagrams that wait for the one being sent; 0 for none.</param>
    /// <exception cref="ArgumentOutOfRangeException">The rate is not positive, or the length is negative.</exception>
    public NetworkBottleneck(double bytesPerSecond, int queueLength)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytesPerSecond);
        ArgumentOutOfRangeException.ThrowIfNegative(queueLength);
        BytesPerSecond = bytesPerSecond;
        QueueLength = queueLength;
    }

    /// <summary>The capacity in bytes per second, with <see cref="Overhead"/> for each datagram.</summary>
    internal double BytesPerSecond { get; }

    /// <summary>The maximum number of datagrams that wait for the one being sent.</summary>
    internal int QueueLength { get; }

    /// <summary>The bytes of a datagram beyond its payload. Default 28, the headers of IPv4 and UDP.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
    public int Overhead
    {
        get; init =>
        field = value >= 0 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, "The overhead must not be negative.");
    } =
    28;

    /// <summary>Computes the time to send a datagram.</summary>
    /// <param name="bytes">The payload of the datagram.</param>
    /// <returns>The time.</returns>
    internal TimeSpan TimeFor(int bytes) => TimeSpan.FromSeconds((bytes + Overhead) / BytesPerSecond);
}
