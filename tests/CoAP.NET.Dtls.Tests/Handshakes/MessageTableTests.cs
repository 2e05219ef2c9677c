namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>Which messages each state of a handshake accepts, refuses and ignores.</summary>
public sealed class MessageTableTests
{
    // A: accepted, the handshake goes on with it; with content that no message has it is refused by an alert.
    // i: ignored, because anybody may have sent it: the handshake completes with the right one.
    // Columns are the states, by the message that is due; rows the messages, with the number that is due and without protection. The last
    // row is Finished, protected with the keys of the handshake.
    private const string Server = """
                              Certificate  ClientKeyExchange  CertificateVerify  Finished
        HelloRequest          i            i                  i                  i
        ClientHello           i            i                  i                  i
        ServerHello           i            i                  i                  i
        HelloVerifyRequest    i            i                  i                  i
        NewSessionTicket      i            i                  i                  i
        Certificate           A            i                  i                  i
        ServerKeyExchange     i            i                  i                  i
        CertificateRequest    i            i                  i                  i
        ServerHelloDone       i            i                  i                  i
        CertificateVerify     i            i                  A                  i
        ClientKeyExchange     i            A                  i                  i
        Finished              i            i                  i                  i
        CertificateStatus     i            i                  i                  i
        protected             i            i                  i                  A
        """;

    private const string Client = """
                              ServerHello  Certificate  ServerKeyExchange  CertificateRequest  ServerHelloDone  NewSessionTicket  Finished
        HelloRequest          i            i            i                  i                   i                i                 i
        ClientHello           i            i            i                  i                   i                i                 i
        ServerHello           A            i            i                  i                   i                i                 i
        HelloVerifyRequest    A            i            i                  i                   i                i                 i
        NewSessionTicket      i            i            i                  i                   i                A                 i
        Certificate           i            A            i                  i                   i                i                 i
        ServerKeyExchange     i            i            A                  i                   i                i                 i
        CertificateRequest    i            i            i                  A                   i                i                 i
        ServerHelloDone       i            i            i                  A                   A                i                 i
        CertificateVerify     i            i            i                  i                   i                i                 i
        ClientKeyExchange     i            i            i                  i                   i                i                 i
        Finished              i            i            i                  i                   i                i                 i
        CertificateStatus     i            i            i                  i                   i                i                 i
        protected             i            i            i                  i                   i                A                 A
        """;

    private static readonly byte[] s_content = [3];

    public static TheoryData<string, string, char> ServerRows => Rows(Server);

    public static TheoryData<string, string, char> ClientRows => Rows(Client);

    [Fact]
    public void The_tables_of_this_class_have_a_row_for_each_handshake_message_type() => Assert.All(
        new[] { Server, Client },
        static table => Assert.Equal(
            [.. Enum.GetNames<HandshakeType>().Order(Comparer<string>.Create(string.CompareOrdinal)), "protected"],
            Rows(table).Select(static row => row.Data.Item1).Distinct().Order(Comparer<string>.Create(string.CompareOrdinal))));

    [Theory]
    [MemberData(nameof(ServerRows))]
    public void A_server_accepts_refuses_or_ignores_each_message_in_each_state_as_in_the_table(string message, string state, char outcome)
    {
        using ScriptedClient client = new(HandshakeKind.EcdsaMutual);
        client.Hello();
        Check(client, client.Send, [.. client.Order, HandshakeType.Finished], message, state, outcome);
    }

    [Theory]
    [MemberData(nameof(ClientRows))]
    public void A_client_accepts_refuses_or_ignores_each_message_in_each_state_as_in_the_table(string message, string state, char outcome)
    {
        using ScriptedServer server = new(HandshakeKind.EcdsaMutual);
        HandshakeType[] order = [.. server.Order, HandshakeType.Finished];
        if (state == "NewSessionTicket")
        {
            server.Extensions[35] = [];
            order = [.. server.Order, HandshakeType.NewSessionTicket, HandshakeType.Finished];
        }

        Check(server, server.Send, order, message, state, outcome);
    }

    // All other types of a byte, in one handshake of each role.
    [Fact]
    public void Handshake_messages_of_undefined_types_are_ignored_in_each_state()
    {
        using ScriptedClient client = new(HandshakeKind.EcdsaMutual);
        client.Hello();
        Run(client, client.Send, [.. client.Order, HandshakeType.Finished]);
        using ScriptedServer server = new(HandshakeKind.EcdsaMutual);
        Run(server, server.Send, [.. server.Order, HandshakeType.Finished]);

        static void Run(ScriptedPeer peer, Action<HandshakeType> send, HandshakeType[] order)
        {
            foreach (HandshakeType next in order)
            {
                for (int type = 0; type <= byte.MaxValue; type++)
                {
                    if (!Enum.IsDefined((HandshakeType)type))
                    {
                        peer.Forge((HandshakeType)type, s_content);
                        peer.Forge((HandshakeType)type, []);
                    }
                }

                send(next);
            }

            peer.AssertSession();
        }
    }

    private static void Check(ScriptedPeer peer, Action<HandshakeType> send, HandshakeType[] order, string message, string state,
        char outcome)
    {
        HandshakeType due = Enum.Parse<HandshakeType>(state);
        int at = Array.IndexOf(order, due);
        foreach (HandshakeType type in order[..at])
        {
            send(type);
        }

        Assert.Equal(HandshakeStatus.Running, peer.Target.Status);
        if (outcome == 'R')
        {
            if (message == "protected")
            {
                ForgeFinished(peer);
                peer.AssertRefused(AlertDescription.DecryptError);
            }
            else
            {
                peer.Forge(Enum.Parse<HandshakeType>(message), s_content);
                peer.AssertRefused(AlertDescription.DecodeError);
            }

            return;
        }

        if (outcome == 'A')
        {
            HandshakeType type = message == "protected" ? HandshakeType.Finished : Enum.Parse<HandshakeType>(message);
            send(type);
            if (type == HandshakeType.HelloVerifyRequest)
            {
                // The new ClientHello has the next number, and so has its answer.
                Assert.Equal(2, peer.Heard.Count(static one => one.Type == HandshakeType.ClientHello));
            }

            // What it takes the place of does not come.
            at = type == HandshakeType.HelloVerifyRequest ? at : Math.Max(at, Array.IndexOf(order, type)) + 1;
        }
        else if (message == "protected")
        {
            if (peer.Records is null)
            {
                peer.UseKeys();
            }

            ForgeFinished(peer);
            Assert.Equal(HandshakeStatus.Running, peer.Target.Status);
        }
        else
        {
            peer.Forge(Enum.Parse<HandshakeType>(message), s_content);
            Assert.Equal(HandshakeStatus.Running, peer.Target.Status);
        }

        foreach (HandshakeType type in order[at..])
        {
            send(type);
        }

        peer.AssertSession();
    }

    private static void ForgeFinished(ScriptedPeer peer) => peer.Protected(
        ContentType.Handshake, Wire.Fragment(new(HandshakeType.Finished, 12, peer.Number, 0, 12), 0, new byte[12]));

    private static TheoryData<string, string, char> Rows(string table)
    {
        string[][] lines = [.. table.Split('\n').Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))];
        return new TheoryData<string, string, char>(
            from line in lines.Skip(1)
            from column in Enumerable.Range(1, lines[0].Length)
            from outcome in line[column] == "A" ? "AR" : "i"
            select (line[0], lines[0][column - 1], outcome));
    }
}
