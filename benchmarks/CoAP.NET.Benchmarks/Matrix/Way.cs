namespace CoAP.NET.Benchmarks;

/// <summary>One of the four methods of the published experiment.</summary>
/// <param name="Name">The method of <see cref="SerializerMatrix"/>.</param>
/// <param name="Reads">Whether it reads.</param>
/// <param name="KeepsBytes">Whether its result has the bytes of the message: a message that was read, an array that was written.</param>
/// <param name="Synchronous">
/// The method of <see cref="SerializerMatrix"/> that does the same with the same stream synchronously; null for a synchronous method.
/// </param>
/// <param name="Time">The published time, in microseconds.</param>
/// <param name="Memory">The published memory, in bytes.</param>
internal sealed record Way(
    string Name, bool Reads, bool KeepsBytes, string? Synchronous, Func<Published, double> Time, Func<Published, long> Memory)
{
    public static IReadOnlyList<Way> All { get; } =
    [
        new(nameof(SerializerMatrix.Deserialize), true, true, null, one => one.Deserialize, one => one.DeserializeBytes),
        new(nameof(SerializerMatrix.DeserializeAsync), true, true, nameof(SerializerMatrix.DeserializeFromStream),
            one => one.DeserializeAsync, one => one.DeserializeAsyncBytes),
        new(nameof(SerializerMatrix.Serialize), false, true, null, one => one.Serialize, one => one.SerializeBytes),
        new(nameof(SerializerMatrix.SerializeAsync), false, false, nameof(SerializerMatrix.SerializeToStream),
            one => one.SerializeAsync, one => one.SerializeAsyncBytes),
    ];
}
