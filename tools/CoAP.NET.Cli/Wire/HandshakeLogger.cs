using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cli.Wire;

/// <summary>Takes the messages of DTLS handshakes from the log of the library; it drops everything else.</summary>
/// <param name="show">Shows a message: whether this end sent it, the peer, and the message.</param>
internal sealed class HandshakeLogger(Action<bool, string, string> show) : ILoggerFactory, ILogger
{
    // Of DtlsLog: a message, a failure with a client, and one with a server.
    private const int Message = 2114;
    private const int ClientFailed = 2102;
    private const int ServerFailed = 2109;

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    public bool IsEnabled(LogLevel logLevel) => true;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (eventId.Id is not (Message or ClientFailed or ServerFailed) || state is not IReadOnlyList<KeyValuePair<string, object?>> values)
        {
            return;
        }

        string peer = Of("Remote");
        if (eventId.Id == Message)
        {
            string length = Of("Length") is "0" ? "" : $"  {Of("Length")} B";
            show(Of("Direction") == "sent", peer, $"{Of("Message")}{length}  {Of("Detail")}".TrimEnd());
        }
        else
        {
            show(eventId.Id == ClientFailed, peer, $"handshake failed: {Of("Reason")}");
        }

        string Of(string name) => values.FirstOrDefault(value => value.Key == name).Value?.ToString() ?? "";
    }
}
