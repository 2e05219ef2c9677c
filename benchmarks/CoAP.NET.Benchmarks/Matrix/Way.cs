namespace CoAP.NET.Benchmarks;

/// <summary>One of the four ways of the published experiment.</summary>
/// <param name="Name">The method of <see cref="SerializerMatrix"/>.</param>
/// <param name="Reads">Whether it reads.</param>
/// <param name="Time">What was published, in microseconds.</param>
/// <param name="Memory">What was published, in bytes.</param>
internal sealed record Way(string Name, bool Reads, Func<Published, double> Time, Func<Published, long> Memory)
{
    public static IReadOnlyList<Way> All { get; } =
    [
        new(nameof(SerializerMatrix.Deserialize), true, static one => one.Deserialize, static one => one.DeserializeBytes),
        new(nameof(SerializerMatrix.DeserializeAsync), true, static one => one.DeserializeAsync, static one => one.DeserializeAsyncBytes),
        new(nameof(SerializerMatrix.Serialize), false, static one => one.Serialize, static one => one.SerializeBytes),
        new(nameof(SerializerMatrix.SerializeAsync), false, static one => one.SerializeAsync, static one => one.SerializeAsyncBytes),
    ];
}
