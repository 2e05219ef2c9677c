namespace CoAP.NET.Hosting.Tests.Helpers;

/// <summary>A service that belongs to one request.</summary>
internal sealed class Ticket(TicketOffice office) : IAsyncDisposable
{
    public int Number { get; } = office.Next();

    public ValueTask DisposeAsync()
    {
        office.Ended.Add(Number);
        return ValueTask.CompletedTask;
    }
}
