namespace CoAP.NET.Load;

/// <summary>The server's processor time and memory, by its process id. Null if the system does not provide them, or no longer.</summary>
/// <param name="process">The process id; null: read nothing.</param>
internal sealed class ServerWatch(int? process)
{
    public TimeSpan? ProcessorTime => Figures?.Cpu;

    public long? ResidentBytes => Figures?.ResidentBytes;

    private ProcessFigures? Figures
    {
        get
        {
            if (process is not { } id || !OperatingSystem.IsLinux())
            {
                return null;
            }

            try
            {
                return ProcessFigures.Of(id);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or InvalidOperationException)
            {
                // It has ended, or, between its end and its removal, has no memory any more.
                return null;
            }
        }
    }
}
