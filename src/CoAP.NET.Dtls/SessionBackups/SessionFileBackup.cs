using System.Buffers.Binary;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>Keeps sessions in a file, from the stop of a server to the start of the next.</summary>
/// <param name="file">The file.</param>
internal sealed class SessionFileBackup(CoapDtlsServerSessionFile file) : ICoapDtlsSessionBackup
{
    private readonly List<ReadOnlyMemory<byte>> _states = [];
    private bool _isStarted;

    private static ReadOnlySpan<byte> Format => "CoAP.NET DTLS 2\n"u8;

    public ValueTask StartAsync(CoapDtlsSessionLoader loader, CancellationToken cancellationToken)
    {
        // From now on this server may write the file.
        _isStarted = true;
        try
        {
            ReadOnlySpan<byte> data = CoapDtlsServerSessionFile.Take(file.Path);
            if (!data.StartsWith(Format))
            {
                throw new InvalidDataException("The content is not that of saved sessions, or has another version.");
            }

            for (data = data[Format.Length..]; !data.IsEmpty;)
            {
                int length = data.Length < sizeof(int) ? -1 : BinaryPrimitives.ReadInt32LittleEndian(data);
                if (length < 0 || length > data.Length - sizeof(int))
                {
                    throw new InvalidDataException("The end of the saved sessions is missing.");
                }

                _ = loader.TryLoad(data.Slice(sizeof(int), length));
                data = data[(sizeof(int) + length)..];
            }
        }
        catch (FileNotFoundException)
        {
            // This is the first start, or the last run ended without a stop.
        }

        return default;
    }

    public ValueTask SaveAsync(IReadOnlyList<CoapDtlsSessionChange> changes, CancellationToken cancellationToken)
    {
        foreach (CoapDtlsSessionChange change in changes)
        {
            if (change.Kind == CoapDtlsSessionChangeKind.Stopped)
            {
                _states.Add(change.State);
            }
        }

        return default;
    }

    public ValueTask StopAsync(CancellationToken cancellationToken)
    {
        if (!_isStarted || _states.Count == 0)
        {
            return default;
        }

        byte[] data = new byte[Format.Length + _states.Sum(static state => sizeof(int) + state.Length)];
        Format.CopyTo(data);
        Span<byte> rest = data.AsSpan(Format.Length);
        foreach (ReadOnlyMemory<byte> state in _states)
        {
            BinaryPrimitives.WriteInt32LittleEndian(rest, state.Length);
            state.Span.CopyTo(rest[sizeof(int)..]);
            rest = rest[(sizeof(int) + state.Length)..];
        }

        _states.Clear();
        PrivateFile.Write(file.Path, data);
        return default;
    }

    public override string ToString() => file.Path;
}
