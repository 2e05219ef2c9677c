namespace CoAP.NET.Benchmarks;

/// <summary>A codec with one message, its bytes, and streams that complete at once and never grow.</summary>
/// <param name="codec">The codec.</param>
/// <param name="message">The message.</param>
/// <param name="bytes">The bytes of the message.</param>
#pragma warning disable CA1001 // its streams are over arrays, and hold nothing
internal sealed class MeasuredCodec<TMessage>(IMatrixCodec<TMessage> codec, TMessage message, byte[] bytes)
#pragma warning restore CA1001
{
    private readonly MemoryStream _source = new(bytes, writable: false);
    private readonly MemoryStream _destination = new(new byte[bytes.Length], 0, bytes.Length, writable: true, publiclyVisible: true);

    public TMessage Message => message;

    public byte[] Bytes => bytes;

    /// <summary>A stream with the bytes of the message, at its beginning.</summary>
    public Stream Source
    {
        get
        {
            _source.Position = 0;
            return _source;
        }
    }

    /// <summary>A stream with room for the bytes of the message, at its beginning.</summary>
    public Stream Destination
    {
        get
        {
            _destination.Position = 0;
            return _destination;
        }
    }

    public TMessage Deserialize() => codec.Deserialize(bytes);

    public ValueTask<TMessage> DeserializeAsync() => codec.DeserializeAsync(Source);

    public byte[] Serialize() => codec.Serialize(message);

    public ValueTask SerializeAsync() => codec.SerializeAsync(Destination, message);

    public void Copy() => bytes.CopyTo(_destination.GetBuffer(), 0);

    /// <summary>Checks that each method gives the bytes of the message.</summary>
    /// <param name="owner">The beginning of an error: which codec, and which message.</param>
    /// <exception cref="InvalidOperationException">A method gives other bytes.</exception>
    public void Check(string owner)
    {
        Expect(Serialize(), owner, nameof(Serialize));
        Expect(codec.Serialize(Deserialize()), owner, nameof(Deserialize));
        Expect(codec.Serialize(DeserializeAsync().AsTask().GetAwaiter().GetResult()), owner, nameof(DeserializeAsync));
        Clear();
        SerializeAsync().AsTask().GetAwaiter().GetResult();
        ExpectWritten(owner, nameof(SerializeAsync));
    }

    /// <summary>Forgets what was written to <see cref="Destination"/>.</summary>
    public void Clear() => Array.Clear(_destination.GetBuffer());

    /// <summary>Checks what was written to <see cref="Destination"/>.</summary>
    /// <param name="owner">The beginning of an error.</param>
    /// <param name="method">The method that wrote it.</param>
    /// <exception cref="InvalidOperationException">It is not the bytes of the message.</exception>
    public void ExpectWritten(string owner, string method) =>
        Expect(_destination.GetBuffer().AsSpan(0, (int)_destination.Position), owner, method);

    /// <summary>Checks bytes.</summary>
    /// <param name="actual">The bytes.</param>
    /// <param name="owner">The beginning of an error.</param>
    /// <param name="method">The method that gave them.</param>
    /// <exception cref="InvalidOperationException">They are not the bytes of the message.</exception>
    public void Expect(ReadOnlySpan<byte> actual, string owner, string method)
    {
        if (!actual.SequenceEqual(bytes))
        {
            int offset = actual.CommonPrefixLength(bytes);
            throw new InvalidOperationException(
                $"{owner}: {method} gives other bytes than the library: {actual.Length} instead of {bytes.Length}, the first difference at "
                    + $"offset {offset}.");
        }
    }
}
