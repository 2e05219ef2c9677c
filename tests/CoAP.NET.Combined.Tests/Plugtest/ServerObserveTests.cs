using System.Buffers.Binary;
using System.Globalization;
using CoAP.NET.Testing;
using CoAP.NET.Testing.Peers;
using CoAP.NET.Tests.Blockwise;
using Server;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>TD_COAP_OBS of the ETSI plugtests, our side as the server: every byte of every message. There is no OBS_03.</summary>
public class ServerObserveTests : PlugtestServer
{
    // Observe without a value, which is 0; Uri-Path.
    private const string Register = "41 01 7d34 4a 60 53 'obs'";

    // Content-Format 0, Max-Age 5.
    private const string Representation = "60 2105";

    private static readonly TimeSpan s_period = FromSeconds(5.1);
    private readonly ScriptedPeer _other;
    private ushort _messageId = 0x1000;
    private uint _number;

    public ServerObserveTests() => _other = Network.CreatePeer(InMemoryNetwork.Address("192.0.2.3:40000"), s_server);

    [Fact]
    [Rfc("7641-4.1-1", "7641-4.2-1", "7641-4.2-2", "7641-4.4-1")]
    public void OBS_01_an_observer_gets_a_Confirmable_notification_of_each_change()
    {
        Begin();
        for (int i = 1; i <= 8; i++)
        {
            Client.Acknowledge(Next($"change {i}"));
        }
    }

    [Fact]
    [Rfc("7641-4.1-1", "7641-4.5.1-2", "7641-7-1")]
    public void OBS_02_an_observer_gets_Non_confirmable_notifications_and_an_occasional_Confirmable_one()
    {
        Start("51 01 7d34 4a 60 57 'obs-non'", $"51 45 ???? 4a 63 <n:3> {Representation} ff 'change 0'");
        int confirmable = 0;
        for (int i = 1; i <= 30; i++)
        {
            ReceivedDatagram notification = Client.ExpectWithin($"?1 45 ???? 4a 63 <n:3> {Representation} ff 'change {i}'", s_period);
            Rises();
            if (notification.Type == CoapMessageType.Confirmable)
            {
                confirmable++;
                Client.Acknowledge(notification);
            }
        }

        Assert.InRange(confirmable, 1, 5);
    }

    [Fact]
    [Rfc("7641-4.1-2")]
    public async Task OBS_04_a_restarted_server_notifies_a_client_only_after_a_new_registration()
    {
        Begin();
        Client.Acknowledge(Next("change 1"));
        await RestartAsync();
        Client.ExpectNothingFor(FromSeconds(20));
        Begin("41 01 7d35 4a 60 53 'obs'", "61 45 7d35 4a", "change 3");
        Client.Acknowledge(Next("change 4"));
        Assert.Equal(1, Observers);
    }

    [Fact]
    [Rfc("7641-4.4-2", "7641-4.5-2", "7641-4.5.2-1")]
    public void OBS_05_a_client_that_acknowledges_nothing_is_removed_after_four_retransmissions()
    {
        Begin();
        TimeSpan started = Clock.Elapsed;
        Clock.Advance(FromSeconds(110));
        List<ReceivedDatagram> copies = [];
        while (Client.Receive() is { } copy)
        {
            copies.Add(copy);
        }

        // The first one and MAX_RETRANSMIT copies, each further apart than the one before, and each with what is current when it is sent.
        Assert.Equal(5, copies.Count);
        for (int i = 0; i < copies.Count; i++)
        {
            int change = (int)((copies[i].Time - started).TotalSeconds / 5);
            Assert.True(DatagramBytePattern.Parse($"41 45 ???? 4a 63 ?????? {Representation} ff 'change {change}'")
                .Match(copies[i].Data.Span).IsMatch, copies[i].ToString());
            Assert.True(i < 2 || copies[i].Time - copies[i - 1].Time > copies[i - 1].Time - copies[i - 2].Time);
        }

        Assert.Equal(0, Observers);
        Client.ExpectNothingFor(FromMinutes(10));
    }

    [Fact]
    [Rfc("7641-4.5-2")]
    public void OBS_06_a_client_that_rejects_a_notification_with_Reset_is_removed()
    {
        Begin();
        Client.Reset(Next("change 1"));
        Assert.Equal(0, Observers);
        Client.ExpectNothingFor(FromMinutes(10));
    }

    [Fact]
    [Rfc("7641-4.2-2")]
    public void OBS_07_deleting_a_resource_sends_4_04_and_removes_its_observer()
    {
        Begin();
        _other.Send("40 04 7d36 b3 'obs'");
        Client.Acknowledge(Client.ExpectWithin("41 84 ???? 4a d1 01 05", FromSeconds(1)));
        _other.Expect("60 42 7d36");
        Assert.Equal(0, Observers);
        Client.ExpectNothingFor(FromMinutes(10));
    }

    [Fact]
    [Rfc("7641-4.2-2", "7641-4.2-3")]
    public void OBS_08_a_changed_Content_Format_sends_4_06_and_removes_the_observer()
    {
        Begin();
        _other.Send("43 03 68ec 000071 b3 'obs' 11 29 ff '<test>My new payload</test>'");
        Client.Acknowledge(Client.ExpectWithin("41 86 ???? 4a", FromSeconds(1)));
        _other.Expect("63 44 68ec 000071");
        Assert.Equal(0, Observers);
        Client.ExpectNothingFor(FromMinutes(10));
        Client.Send("41 01 7d37 4a 60 53 'obs'");
        Client.Expect("61 45 7d37 4a 63 ?????? 61 29 21 05 ff '<test>My new payload</test>'");
    }

    [Fact]
    [Rfc("7641-4.1-1", "7641-4.5-1")]
    public void OBS_09_an_observer_is_notified_of_a_value_that_another_client_has_put()
    {
        Begin();
        _other.Send("40 03 7d36 b3 'obs' 10 ff 'new value'");
        Client.Acknowledge(Next("new value", FromSeconds(1)));
        _other.Expect("60 44 7d36");
    }

    [Fact]
    [Rfc("7641-4.1-5")]
    public void OBS_10_a_plain_request_does_not_end_an_observation()
    {
        Begin();
        Exchange("41 01 7d35 4b b3 'obs'", "61 45 7d35 4b c0 21 05 ff 'change 0'");
        Client.Acknowledge(Next("change 1"));
        Assert.Equal(1, Observers);
    }

    [Fact]
    [Rfc("7641-4.5-1", "7641-4.5.1-1")]
    public void OBS_11_an_observer_has_at_most_one_unacknowledged_notification()
    {
        Begin();
        int datagrams = 0;
        Network.Filter = _ => datagrams++ % 5 is 0 or 3 ? NetworkVerdict.Drop : NetworkVerdict.Pass;
        Client.Responder = received =>
        {
            Client.Acknowledge(received);
            return false;
        };
        for (int i = 0; i < 600; i++)
        {
            Clock.Advance(FromMilliseconds(100));
            Assert.InRange(Outstanding, 0, 1);
        }

        // What was lost is made up for: the last state arrives.
        Assert.InRange(Client.Clear(), 2, 12);
        Network.Filter = null;
        _other.Send("40 03 7d36 b3 'obs' 10 ff 'at last'");
        Clock.Advance(FromSeconds(100));
        Wire.Hex(Client.Received[^1].Data.Span).Ends(Wire.Hex("at last"u8));
        Assert.Equal(0, Outstanding);
    }

    [Fact]
    [Rfc("7641-4.1-4")]
    public void OBS_12_a_GET_with_Observe_1_removes_the_observer()
    {
        Begin();
        Exchange("41 01 7d35 4a 61 01 53 'obs'", "61 45 7d35 4a c0 21 05 ff 'change 0'");
        Assert.Equal(0, Observers);
        Client.ExpectNothingFor(FromMinutes(10));
    }

    [Theory]
    [InlineData(64, "c102")]
    [InlineData(1024, "")]
    [Rfc("7959-2.6-1", "7959-2.6-2")]
    public void OBS_13_a_notification_has_the_first_block_of_a_large_representation(int size, string block2)
    {
        for (int i = 0; i < 4; i++)
        {
            string text = $"change {i}\n{LargeText.Make(2000)}";
            string first = $"45 <mid:2> 4a 48 <etag:8> 23 <n:3> 60 21 05 91 {BlockValue.FromSize(0, true, size).Hex()} 52 {text.Length:x4} "
                + $"ff {Hex(text, 0, size)}";
            if (i == 0)
            {
                Start($"41 01 7d34 4a 60 59 'obs-large' {block2}", "61" + first);
            }
            else
            {
                ReceivedDatagram notification = Client.ExpectWithin("41" + first, s_period);
                Rises();
                Client.Acknowledge(notification);
            }

            Rest("b9 'obs-large'", text, size);
        }
    }

    [Theory]
    [InlineData(64, "c102")]
    [InlineData(1024, "")]
    [Rfc("7959-2.6-1", "7959-2.6-2", "7959-2.4-7")]
    public void OBS_14_a_notification_is_cut_into_blocks_only_if_the_representation_exceeds_the_block_size(int size, string block2)
    {
        int[] lengths = [1000, 1024, 1025, 2048, 2049, 16, 1000];
        for (int i = 0; i < lengths.Length; i++)
        {
            string text = LargeText.Make(lengths[i]);
            bool isCut = text.Length > size;
            string options = isCut ? $"48 <etag:8> 23 <n:3> 60 21 05 91 {BlockValue.FromSize(0, true, size).Hex()} 52 {text.Length:x4}"
                : block2.Length > 0 ? $"63 <n:3> 60 21 05 91 {BlockValue.FromSize(0, false, size).Hex()}"
                : "63 <n:3> 60 21 05";
            string first = $"45 <mid:2> 4a {options} ff {Hex(text, 0, size)}";
            if (i == 0)
            {
                Start($"41 01 7d34 4a 60 5b 'obs-pumping' {block2}", "61" + first);
            }
            else
            {
                ReceivedDatagram notification = Client.ExpectWithin("41" + first, s_period);
                Rises();
                Client.Acknowledge(notification);
            }

            if (isCut)
            {
                Rest("bb 'obs-pumping'", text, size);
            }
        }
    }

    private static string Hex(string text, int offset, int length) =>
        Wire.Hex(Encoding.UTF8.GetBytes(text, offset, Math.Min(length, text.Length - offset)));

    private void Begin(string request = Register, string head = "61 45 7d34 4a", string payload = "change 0") =>
        Start(request, $"{head} 63 <n:3> {Representation} ff '{payload}'");

    private void Start(string request, string response)
    {
        Exchange(request, response);
        _number = Number;
    }

    private uint Number => BinaryPrimitives.ReadUInt32BigEndian([0, .. Client.Remembered["n"]]);

    /// <summary>RFC 7641 section 3.4.</summary>
    private void Rises()
    {
        Assert.InRange((Number - _number) & 0xff_ffff, 1u, (1u << 23) - 1);
        _number = Number;
    }

    private ReceivedDatagram Next(string payload, TimeSpan? within = null)
    {
        ReceivedDatagram notification = Client.ExpectWithin($"41 45 <mid:2> 4a 63 <n:3> {Representation} ff '{payload}'",
            within ?? s_period);
        Rises();
        return notification;
    }

    /// <summary>Asks for the further blocks by another token and without Observe.</summary>
    private void Rest(string path, string text, int size)
    {
        for (int number = 1; number * size < text.Length; number++)
        {
            string id = (++_messageId).ToString("x4", CultureInfo.InvariantCulture);
            bool more = (number + 1) * size < text.Length;
            string asked = BlockValue.FromSize(number, false, size).Hex();
            string answered = BlockValue.FromSize(number, more, size).Hex();
            Exchange(
                $"41 01 {id} 4b {path} c{asked.Length / 2} {asked}",
                $"61 45 {id} 4b 48 <etag> 80 21 05 9{answered.Length / 2} {answered} ff {Hex(text, number * size, size)}");
        }
    }
}
