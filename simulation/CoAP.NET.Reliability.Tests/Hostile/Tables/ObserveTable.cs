using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>RFC 7641: registrations and notifications that are out of range, out of order or out of place.</summary>
internal static class ObserveTable
{
    private const string Register = "> 41 01 7d34 01 60 53'obs' ; < 61 45 7d34 01 6? .. ; ";
    private const string Notified = "change ; ~ 0.1 ; < 41 45 <mid:2> 01 6? .. ; ";
    private const string Refused = "< 61 45 7d34 01 c0 .. ; observers 0";
    private const string Observe =
        "observe /x ; < 44 01 <mid:2> <token:4> 60 51 'x' ; > 64 45 <mid> <token> 61 05 82 1c20 ff 'a' ; = Observing a ; ";
    private const string Cancel = " ; dispose ; < 44 01 <mid:2> <token> 61 01 51 'x' ; > 64 45 <mid> <token> ff 'z'";

    public static HostileTable Table { get; } = new("Observe", [.. Registrations(), .. Acknowledgements()], [.. Notifications(), .. Ends()],
        [], []);

    private static IEnumerable<HostileRow> Registrations() =>
    [
        new("Observe 2 is as if absent", "> 41 01 7d34 01 61 02 53'obs' ; " + Refused, CoapCounter.Registrations, "7641-2-1", 0),
        new("Observe 255 is as if absent", "> 41 01 7d34 01 61 ff 53'obs' ; " + Refused, CoapCounter.Registrations, "7641-2-1", 0),
        new("Observe 16,777,215 is as if absent", "> 41 01 7d34 01 63 ffffff 53'obs' ; " + Refused, CoapCounter.Registrations, "7641-2-1",
            0),
        new("Observe of four bytes is ignored", "> 41 01 7d34 01 64 00000000 53'obs' ; " + Refused, CoapCounter.Registrations,
            "7641-2-1 7252-5.4.3-1", 0),
        new("Observe 0 in three bytes registers", "> 41 01 7d34 01 63 000000 53'obs' ; < 61 45 7d34 01 6? .. ; observers 1",
            CoapCounter.Registrations, "7641-2-1 7252-3.2-2"),
        new("Observe 0 and 1 in one request: the first applies", "> 41 01 7d34 01 60 01 01 53'obs' ; < 61 45 7d34 01 6? .. ; observers 1",
            CoapCounter.Registrations, "7641-2-1 7252-5.4.5-1"),
        new("Observe 1 of what is not observed", "> 41 01 7d34 01 61 01 53'obs' ; " + Refused, CoapCounter.Registrations, "7641-4.1-4", 0),
        new("Observe of what cannot be observed", "> 41 01 7d34 01 60 55'hello' ; < 61 45 7d34 01 c0 ff 'world' ; observers 0",
            CoapCounter.Registrations, "7641-4.1-3", 0),
        new("Observe of what is not there", "> 41 01 7d34 01 60 54'none' ; < 61 84 7d34 01 .. ; observers 0", CoapCounter.Registrations,
            "7641-4.1-5", 0),
        new("Observe in a POST is ignored", "> 41 02 7d34 01 60 55'count' ; < 61 45 7d34 01 c0 ff '1' ; observers 0",
            CoapCounter.Registrations, "7641-2-1", 0),
        new("The same token again is the same registration", Register + "> 41 01 7d35 01 60 53'obs' ; < 61 45 7d35 01 6? .. ; observers 1",
            CoapCounter.Registrations, "7641-4.1-2", 2),
        new("The same token a hundred times is one registration",
            "100x> 41 01 7d34 01 60 53'obs' ; 100x< 61 45 7d34 01 6? .. ; observers 1", CoapCounter.Duplicates, "7641-4.1-2 7252-4.5-1",
            99),
        new("Another token is another registration", Register + "> 41 01 7d35 02 60 53'obs' ; < 61 45 7d35 02 63 .. ; observers 2",
            CoapCounter.Registrations, "7641-4.1-2", 2),
        new("The same token from another port is another registration",
            Register + "b> 41 01 7d34 01 60 53'obs' ; b< 61 45 7d34 01 6? .. ; observers 2", CoapCounter.Registrations, "7641-4.1-2", 2),
        new("The same token for something else leaves one registration at most",
            Register + "> 41 01 7d35 01 60 55'state' ; < 61 45 7d35 01 6? .. ; observers 1 ; > 41 01 7d36 01 61 01 55'state' ; < 61 45 "
                + "7d36 01 c0 .. ; observers 0", CoapCounter.Registrations, "7641-4.1-2", 2),
        new("A GET without Observe under another token cancels nothing",
            Register + "> 41 01 7d35 02 b3'obs' ; < 61 45 7d35 02 c0 .. ; observers 1", CoapCounter.Registrations, "7641-4.1-5"),
        new("A registration without a token", "> 40 01 7d34 60 53'obs' ; < 60 45 7d34 63 .. ; observers 1", CoapCounter.Registrations,
            "7641-4.1-1"),
        new("A registration with a token of 64 bytes", "> 4d 01 7d34 33 [aa*64] 60 53'obs' ; < 6d 45 7d34 33 [aa*64] 63 .. ; observers 1",
            CoapCounter.Registrations, "7641-4.1-1 8974-2.1-1"),
        new("A Non-confirmable registration", "> 51 01 7d34 01 60 53'obs' ; < 51 45 ???? 01 6? .. ; observers 1", CoapCounter.Registrations,
            "7641-4.1-1"),
        new("Cancelled under the token of another port", Register + "b> 41 01 7d35 01 61 01 53'obs' ; b< 61 45 7d35 01 c0 .. ; observers 1",
            CoapCounter.Registrations, "7641-4.1-2 7641-4.1-4"),
        new("Cancelled under another token", Register + "> 41 01 7d35 02 61 01 53'obs' ; < 61 45 7d35 02 c0 .. ; observers 1",
            CoapCounter.Registrations, "7641-4.1-4"),
        new("Cancelled twice",
            Register + "> 41 01 7d35 01 61 01 53'obs' ; < 61 45 7d35 01 c0 .. ; > 41 01 7d36 01 61 01 53'obs' ; < 61 45 7d36 01 c0 .. ; "
                + "observers 0", CoapCounter.Registrations, "7641-4.1-4"),
        new("A registration with a critical option that nobody knows",
            "> 41 01 7d34 01 60 53'obs' e0 25f9 ; < 61 82 7d34 01 .. ; observers 0", CoapCounter.BadOptions, "7252-5.4.1-2 7641-4.1-5"),
        new("A registration that is a ping's token", "> 41 00 7d34 01 60 53'obs' ; < 70 00 7d34 ; observers 0", CoapCounter.FormatErrors,
            "BAD-06"),
    ];

    private static IEnumerable<HostileRow> Acknowledgements() =>
    [
        new("A notification is rejected", Register + Notified + "> 70 00 <mid> ; observers 0", CoapCounter.ObserversLost, "7641-4.5-2"),
        new("A notification is rejected from another port",
            Register + Notified + "b> 70 00 <mid> ; observers 1 ; ~ 3.1 ; < 41 45 ???? 01 .. ; > 60 00 <mid>",
            CoapCounter.UnmatchedAcknowledgements, "7641-4.5-2 7252-4.4-2"),
        new("A notification is acknowledged from another host",
            Register + Notified + "c> 60 00 <mid> ; observers 1 ; ~ 3.1 ; < 41 45 ???? 01 .. ; > 60 00 <mid>",
            CoapCounter.UnmatchedAcknowledgements, "7641-4.5-2 7252-4.4-2"),
        new("A notification is rejected after it was acknowledged", Register + Notified + "> 60 00 <mid> ; > 70 00 <mid>",
            CoapCounter.UnmatchedAcknowledgements, "7641-4.5-2"),
        new("A notification is acknowledged with a response in it", Register + Notified + "> 61 45 <mid> 01 ff 'x' ; observers 1 ; ~ 5",
            CoapCounter.Retransmissions, "7252-5.2.2-3", 0),
        new("A notification is acknowledged with a token in it, as some devices do",
            Register + Notified + "> 61 00 <mid> 01 ; ~ 3.1 ; < 41 45 ???? 01 .. ; > 60 00 <mid>", CoapCounter.FormatErrors,
            "BAD-23 7252-4.1-1"),
        new("A Reset of the registration's Message ID is of nothing", Register + "> 70 00 7d34 ; observers 1",
            CoapCounter.UnmatchedAcknowledgements, "7641-4.5-2"),
        new("Cancelled while a notification is outstanding",
            Register + Notified + "> 41 01 7d35 01 61 01 53'obs' ; < 61 45 7d35 01 c0 .. ; observers 0 ; > 60 00 <mid> ; ~ 5",
            CoapCounter.NotificationsSent, "7641-4.1-4"),
        new("Registered again while a notification is outstanding",
            Register + Notified + "> 41 01 7d35 01 60 53'obs' ; < 61 45 7d35 01 6? .. ; > 60 00 <mid> ; observers 1",
            CoapCounter.Registrations, "7641-4.1-2", 2),
        new("A notification that nobody acknowledges ends the observation",
            Register + Notified
                + "~ 3.1 ; < 41 45 ???? 01 .. ; ~ 6 ; < 41 45 ???? 01 .. ; ~ 12 ; < 41 45 ???? 01 .. ; ~ 24 ; < 41 45 ???? 01 .. ; ~ 60 ; "
                + "observers 0", CoapCounter.ObserversLost, "7641-4.5-2 7641-7-1"),
        new("The state changes while a notification is outstanding",
            Register + Notified + "change ; change ; > 60 00 <mid> ; ~ 0.1 ; < ?1 45 <mid:2> 01 6? .. ; > 60 00 <mid> ; observers 1",
            CoapCounter.NotificationsSent, "7641-4.5-1 7641-4.5.2-1", 2),
    ];

    private static IEnumerable<HostileRow> Notifications() =>
    [
        Row("An older notification is acknowledged and not delivered",
            "> 44 45 7d34 <token> 61 04 82 1c20 ff 'old' ; < 60 00 7d34 ; latest Observing a", CoapCounter.NotificationsOutOfOrder,
            "7641-3.4-1"),
        Row("The same number again is not newer", "> 44 45 7d34 <token> 61 05 82 1c20 ff 'old' ; < 60 00 7d34 ; latest Observing a",
            CoapCounter.NotificationsOutOfOrder, "7641-3.4-1"),
        Row("A number half the circle ahead is older",
            "> 44 45 7d34 <token> 63 800005 82 1c20 ff 'old' ; < 60 00 7d34 ; latest Observing a", CoapCounter.NotificationsOutOfOrder,
            "7641-3.4-1"),
        Row("A number just below half the circle ahead is newer",
            "> 44 45 7d34 <token> 63 800004 82 1c20 ff 'new' ; < 60 00 7d34 ; latest Observing new", CoapCounter.NotificationsOutOfOrder,
            "7641-3.4-1", 0),
        Row(
            "The number wraps at 2^24",
            "> 44 45 7d34 <token> 63 7fffff 82 1c20 ff 'b' ; < 60 00 7d34 ; > 44 45 7d35 <token> 63 fffffe 82 1c20 ff 'c' ; < 60 00 7d35 ; "
                + "> 44 45 7d36 <token> 60 82 1c20 ff 'd' ; < 60 00 7d36 ; latest Observing d",
            CoapCounter.NotificationsOutOfOrder, "7641-3.4-1", 0),
        Row("After 128 s every number is newer",
            "~ 129 ; > 44 45 7d34 <token> 61 01 82 1c20 ff 'new' ; < 60 00 7d34 ; latest Observing new",
            CoapCounter.NotificationsOutOfOrder, "7641-3.4-1", 0),
        Row("Within 128 s it is not", "~ 127 ; > 44 45 7d34 <token> 61 01 82 1c20 ff 'old' ; < 60 00 7d34 ; latest Observing a",
            CoapCounter.NotificationsOutOfOrder, "7641-3.4-1"),
        Row(
            "Two notifications in the wrong order",
            "> 54 45 7d35 <token> 61 07 82 1c20 ff 'c' ; > 54 45 7d34 <token> 61 06 82 1c20 ff 'b' ; latest Observing c",
            CoapCounter.NotificationsOutOfOrder, "7641-3.4-1"),
        Row("A notification twice is acknowledged twice",
            "> 44 45 7d34 <token> 61 06 82 1c20 ff 'b' ; < 60 00 7d34 ; > 44 45 7d34 <token> 61 06 82 1c20 ff 'b' ; < 60 00 7d34 ; latest "
                + "Observing b", CoapCounter.Duplicates, "7252-4.5-4"),
        Row("A hundred notifications at once", "100x> 54 45 7d34 <token> 61 06 82 1c20 ff 'b' ; latest Observing b", CoapCounter.Duplicates,
            "7252-4.5-2", 99),
        Row("A Confirmable notification under a token that nobody has",
            "> 44 45 7d34 00000000 61 06 ff 'x' ; < 70 00 7d34 ; latest Observing a", CoapCounter.UnmatchedResponses, "7641-3.5-1"),
        Row("A Non-confirmable notification under a token that nobody has",
            "> 54 45 7d34 00000000 61 06 ff 'x' ; < 70 00 7d34 ; latest Observing a", CoapCounter.UnmatchedResponses, "7641-3.5-1"),
        Row("A notification from another port", "b> 44 45 7d34 <token> 61 06 ff 'x' ; b< 70 00 7d34 ; latest Observing a",
            CoapCounter.UnmatchedResponses, "7641-3.5-1 7252-5.3.2-1"),
        Row("A notification from another host", "c> 44 45 7d34 <token> 61 06 ff 'x' ; c< 70 00 7d34 ; latest Observing a",
            CoapCounter.UnmatchedResponses, "7641-3.5-1 7252-5.3.2-1"),
        Row("A notification with a format error", "> 44 45 7d34 <token> 61 06 ff ; < 70 00 7d34 ; latest Observing a",
            CoapCounter.FormatErrors, "BAD-08 7252-4.2-2"),
        Row("A notification that is a Reset", "> 74 45 7d34 <token> 61 06 ff 'x' ; latest Observing a", CoapCounter.Ignored, "BAD-18"),
        Row("A notification in an acknowledgement", "> 64 45 7d34 <token> 61 06 ff 'x' ; latest Observing a",
            CoapCounter.UnmatchedAcknowledgements, "7252-4.2-5"),
        Row("A request under the token of the observation", "> 44 01 7d34 <token> b1 'x' ; < 64 84 7d34 <token> .. ; latest Observing a",
            CoapCounter.RequestsReceived, "7252-5.3.1-4"),
    ];

    // What is no notification any more ends the registration: the server has forgotten it (RFC 7641 sections 3.2 and 4.2). After an error
    // the client registers again by itself, after some time.
    private static IEnumerable<HostileRow> Ends() =>
    [
        new("A server that does not take the registration",
            "observe /x ; < 44 01 <mid:2> <token:4> 60 51 'x' ; > 64 45 <mid> <token> ff 'a' ; = NotObserving a ; dispose",
            CoapCounter.RequestsSent, "7641-3.2-1"),
        new("A server that answers the registration by an error",
            "observe /x ; < 44 01 <mid:2> <token:4> 60 51 'x' ; > 64 84 <mid> <token> ; = Reregistering ; dispose",
            CoapCounter.RequestsSent, "7641-3.2-1"),
        new("A server that rejects the registration",
            "observe /x ; < 44 01 <mid:2> <token:4> 60 51 'x' ; > 70 00 <mid> ; = Reregistering ; dispose", CoapCounter.RequestsSent,
            "7252-4.2-8"),
        new("An error with Observe in it",
            "observe /x ; < 44 01 <mid:2> <token:4> 60 51 'x' ; > 64 84 <mid> <token> 61 05 ; = Reregistering ; dispose",
            CoapCounter.RequestsSent, "7641-4.2-2"),
        new("A notification of an error ends it", Observe + "> 44 84 7d34 <token> ; < 60 00 7d34 ; latest Reregistering ; dispose",
            CoapCounter.NotificationsReceived, "7641-4.2-2", 2),
        new("A notification without Observe ends it",
            Observe + "> 44 45 7d34 <token> ff 'b' ; < 60 00 7d34 ; latest NotObserving b ; dispose", CoapCounter.NotificationsReceived,
            "7641-4.2-2", 2),
        new("A notification with Observe of four bytes is one without",
            Observe + "> 44 45 7d34 <token> 64 00000006 ff 'b' ; < 60 00 7d34 ; latest NotObserving b ; dispose",
            CoapCounter.NotificationsReceived, "7252-5.4.3-1", 2),
    ];

    private static HostileRow Row(string name, string script, CoapCounter counter, string rfc, long count = 1) =>
        new(name, Observe + script + Cancel, counter, rfc, count);
}
