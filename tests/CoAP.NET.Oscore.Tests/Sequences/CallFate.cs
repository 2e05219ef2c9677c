namespace CoAP.NET.Oscore.Tests.Sequences;

internal enum CallFate
{
    Confirmed,
    DoneButReportedAsFailed,
    Lost,
}
