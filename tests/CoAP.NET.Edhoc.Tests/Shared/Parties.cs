namespace CoAP.NET.Edhoc.Tests;

/// <summary>Two parties with keys for every suite, and a session between them without a network.</summary>
internal static class Parties
{
    public static byte[] InitiatorId { get; } = [0x2d];

    public static byte[] ResponderId { get; } = [0x18];

    public static EdhocSettings Settings(params int[] suites)
    {
        EdhocSettings settings = new();
        if (suites.Length > 0)
        {
            settings.Suites.Clear();
            foreach (int suite in suites)
            {
                settings.Suites.Add(EdhocCipherSuite.Find(suite)!);
            }
        }

        return settings;
    }

    public static EdhocOwnCredential Own(EdhocCurve curve, byte kid, string subject)
    {
        EdhocPrivateKey key = EdhocPrivateKey.Generate(curve);
        EdhocCredential credential = EdhocCredential.Create(key.PublicKey, [kid], subject);
        return new EdhocOwnCredential(credential, EdhocCredentialId.OfKeyId([kid]), key);
    }

    public static EdhocCurve CurveOf(EdhocCipherSuite suite, EdhocMethod method, EdhocRole role) =>
        Schedule.EdhocPlaintextProcessor.IsStatic(method, role) ? suite.Curve : suite.SignatureCurve;

    public static (EdhocInitiator Initiator, EdhocResponder Responder) Make(
        EdhocMethod method = EdhocMethod.StaticStatic, int suite = 2, EdhocSettings? initiatorSettings = null,
        EdhocSettings? responderSettings = null)
    {
        EdhocCipherSuite named = EdhocCipherSuite.Find(suite)!;
        return (
            new EdhocInitiator(
                initiatorSettings ?? Settings(suite), method, [Own(CurveOf(named, method, EdhocRole.Initiator), 0x2b, "initiator")],
                InitiatorId),
            new EdhocResponder(
                responderSettings ?? Settings(suite), [Own(CurveOf(named, method, EdhocRole.Responder), 0x32, "responder")]));
    }

    public static EdhocCredential CredentialOf(EdhocInitiator initiator) => Of(initiator, "_own");

    public static EdhocCredential CredentialOf(EdhocResponder responder) => Of(responder, "_own");

    /// <summary>All messages up to message_3, and who they were.</summary>
    public static (EdhocResult Initiator, EdhocResult Responder) Run(EdhocInitiator initiator, EdhocResponder responder)
    {
        responder.ReadMessage1(initiator.CreateMessage1());
        initiator.ReadMessage2(responder.CreateMessage2(ResponderId));
        responder.ReadMessage3(initiator.CreateMessage3([CredentialOf(responder)]));
        return (initiator.Session, responder.Complete([CredentialOf(initiator)]));
    }

    /// <summary>The value of a private field.</summary>
    public static T FieldOf<T>(object of, string field) => (T)of.GetType()
        .GetField(field, System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Instance)!.GetValue(of)!;

    private static EdhocCredential Of(object party, string field) => FieldOf<EdhocOwnCredential>(party, field).Credential;
}
